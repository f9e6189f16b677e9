//! Every place where an async fn can stand.
#![deny(warnings)]
#![allow(dead_code)]

use std::fmt::{Debug, Display};
use std::pin::Pin;
use std::sync::Arc;

use dlock_runtime::singleton;

#[singleton(key = "generic:{region}", ttl = "30s")]
async fn generic<R, S, const N: usize>(region: R, sections: [S; N]) -> usize
where
    R: Display + Send,
    S: Debug + Send,
{
    tick().await;
    format!("{region}{sections:?}").len()
}

async fn tick() {}

#[singleton(key = "elided:{text}", ttl = "30s")]
async fn elided(text: &str) -> &str {
    text.trim()
}

#[singleton(key = "named", ttl = "30s")]
async fn named<'a, 'b: 'a>(short: &'a str, long: &'b str) -> &'a str {
    if short.is_empty() { long } else { short }
}

#[singleton(key = "opaque:{name}", ttl = "30s")]
async fn opaque<T: Default>(name: impl Display + Send, more: impl IntoIterator<Item = u32>) -> (T, u32) {
    let _ = name.to_string();
    (T::default(), more.into_iter().sum())
}

#[singleton(key = "closure:{step}", ttl = "30s")]
async fn closure(step: u32) -> impl Fn(u32) -> u32 {
    move |n| n + step
}

#[singleton(key = "fallible closure", ttl = "30s")]
async fn fallible(step: u32) -> std::io::Result<impl Iterator<Item = u32>> {
    Ok((0..10).step_by(usize::try_from(step).map_err(std::io::Error::other)?))
}

#[singleton(key = "boxed", ttl = "30s")]
async fn boxed(yes: bool) -> Box<dyn Fn(u32) -> u32 + Send> {
    if yes {
        return Box::new(|n| n);
    }
    Box::new(|n| n + 1)
}

#[singleton(key = "never", ttl = "30s")]
async fn never() -> ! {
    loop {
        tick().await;
    }
}

#[singleton(key = "option", ttl = "30s")]
async fn option() -> Option<u32> {
    None
}

#[singleton(key = "recursive:{n}", ttl = "30s")]
async fn recursive(n: u64) -> u64 {
    if n == 0 {
        1
    } else {
        n * Box::pin(recursive(n - 1)).await.unwrap_or(1)
    }
}

#[singleton(key = "not send", ttl = "30s")]
async fn not_send(shared: std::rc::Rc<u32>) -> u32 {
    tick().await;
    *shared
}

#[singleton(key = "raw:{type}", ttl = "30s")]
async fn r#move(r#type: &str, r#async: u32) -> u32 {
    r#async + u32::from(r#type.is_empty())
}

#[singleton(key = "cfg:{there}", ttl = "30s")]
async fn cfg(#[cfg(any())] gone: u32, #[cfg(all())] there: u32) -> u32 {
    there
}

/// # Safety
/// `at` must be valid.
#[singleton(key = "unsafe", ttl = "30s")]
async unsafe fn peek(at: *const u32) -> u32 {
    unsafe { *at }
}

#[singleton(key = "precise", ttl = "30s")]
async fn precise<'a>(all: &'a [u32], _scratch: &mut Vec<u8>) -> impl Iterator<Item = u32> + use<'a> {
    all.iter().copied()
}

struct Job {
    id: u64,
    span: (u8, u8),
}

#[singleton(key = "patterns:{id}:{high}-{low}:{n}", ttl = "30s")]
async fn patterns(
    Job {
        id,
        span: (high, low),
    }: Job,
    [a, b]: [u8; 2],
    &factor: &u32,
    mut n: u32,
    _: String,
    (first, ..): (u8, u8),
) -> u64 {
    n += u32::from(a) + u32::from(b) + factor + u32::from(first);
    id + u64::from(high) + u64::from(low) + u64::from(n)
}

struct Worker {
    zone: String,
    pair: (u32, (u8, u8)),
    r#type: u8,
}

impl Worker {
    #[singleton(key = "{self.zone}:{self.pair.1.0}:{self.type}", ttl = "30s")]
    async fn by_reference(&self) -> u32 {
        self.pair.0
    }

    #[singleton(key = "{self.zone}", ttl = "30s")]
    async fn exclusive<'a>(&'a mut self, log: &'a mut Vec<u8>) -> &'a mut String {
        log.push(1);
        &mut self.zone
    }

    #[singleton(key = "{self.zone:?}", ttl = "30s")]
    async fn by_value(mut self) -> Self {
        self.zone.push('!');
        Self { ..self }
    }

    #[singleton(key = "{self.zone:>8}", ttl = "30s")]
    async fn shared(self: Arc<Self>) -> u32 {
        self.pair.0
    }

    #[singleton(key = "{self.zone}", ttl = "30s")]
    async fn pinned(self: Pin<&mut Self>) -> u8 {
        self.r#type
    }
}

#[allow(async_fn_in_trait)]
trait Nightly {
    const NAME: &'static str;

    async fn run(&self, id: u32) -> Option<u32>;

    #[singleton(key = "default:{id}", ttl = "30s")]
    async fn with_default(&self, id: u32) -> String {
        format!("{}:{id}", Self::NAME)
    }
}

impl Nightly for Worker {
    const NAME: &'static str = "worker";

    #[singleton(key = "nightly:{id}", ttl = "30s")]
    async fn run(&self, id: u32) -> u32 {
        id
    }
}

macro_rules! jobs {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty, $key:literal, $ttl:literal, $at:path, $body:block)*) => {$(
        $(#[$meta])*
        #[singleton(key = $key, ttl = $ttl, crate = $at)]
        $vis async fn $name($($arg: $ty),*) -> $ret $body
    )*};
}

jobs! {
    /// Documented.
    #[inline]
    pub fn rebuild(tenant: &str, retries: u8) -> std::io::Result<usize>, "rebuild:{tenant}:{retries}", "30s", ::dlock_runtime, {
        if retries > 3 {
            return Ok(0);
        }
        Ok(tenant.len())
    }
    fn dynamic(input: Box<dyn Fn(u32) -> u32 + Send>) -> Box<dyn Fn(u32) -> u32 + Send>, "dynamic", "30s", dlock_runtime, { input }
}

fn schedule<F, T>(_: F)
where
    F: Fn(u32) -> T + Copy + Send + Sync + 'static,
    T: Future<Output = Option<String>> + Send + 'static,
{
}

#[singleton(key = "value:{id}", ttl = "30s")]
async fn value(id: u32) -> String {
    id.to_string()
}

fn send<T: Send>(_: T) {}

fn only_what_the_body_needs_is_asked_of_arguments<R: Display + Send>(region: R) {
    send(generic(region, [1]));
    schedule(value);
    let _: fn(u32) -> _ = value;
}

fn main() {
    only_what_the_body_needs_is_asked_of_arguments("eu");
}
