//! Generated code raises no lint that the user turned on.
#![deny(
    warnings,
    missing_docs,
    unreachable_pub,
    unused_results,
    unused_qualifications,
    unused_lifetimes
)]
#![deny(
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    let_underscore_drop
)]
#![deny(
    missing_debug_implementations,
    trivial_casts,
    unit_bindings,
    variant_size_differences
)]
#![deny(
    redundant_lifetimes,
    unnameable_types,
    unsafe_op_in_unsafe_fn,
    unused_braces,
    redundant_semicolons
)]
#![forbid(unsafe_code, non_ascii_idents, clippy::infinite_loop)]

use dlock_runtime::singleton;

/// Documented.
///
/// In two paragraphs.
#[doc(alias = "nightly")]
#[must_use = "tells whether it went out"]
#[inline]
#[singleton(key = "documented:{tenant}", ttl = "30s")]
#[cfg(all())]
pub async fn documented(tenant: &str) -> usize {
    tenant.len()
}

/// On one line.
#[rustfmt::skip]
#[singleton(key = "line", ttl = "30s")]
pub async fn on_one_line() -> u32 { 1 }

const TTL: std::time::Duration = std::time::Duration::from_secs(30);

/// Values in braces and parentheses of their own.
#[singleton(key = { "braces" }, ttl = { TTL * 2 }, min_hold = (TTL))]
pub async fn wrapped_values() {}

/// Endless.
#[singleton(key = "endless", ttl = "30s")]
pub async fn endless() -> ! {
    loop {
        std::future::ready(()).await;
    }
}

/// Empty.
#[cfg_attr(all(), singleton(key = "empty", ttl = "30s"))]
pub async fn empty() {}

/// An option already.
#[singleton(key = "lints:{name}", ttl = "30s")]
pub async fn quiet(name: String) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    Some(name)
}

/// A result.
#[singleton(key = "result", ttl = "30s")]
pub async fn result() -> std::io::Result<()> {
    #![allow(unused_variables)]
    //! With inner attributes.
    let unused = 1;
    Ok(())
}

/// Items first.
#[singleton(key = "items", ttl = "30s")]
pub async fn items_first() -> u32 {
    const ONE: u32 = 1;
    fn two() -> u32 {
        2
    }
    ONE + two()
}

/// Holds a borrow.
#[derive(Debug)]
pub struct Lines<'a>(&'a str);

/// Has a result.
#[allow(async_fn_in_trait)]
pub trait Job {
    /// Runs.
    async fn run(&self) -> Option<std::io::Result<u32>>;
}

impl Job for Lines<'_> {
    #[singleton(key = "lines", ttl = "30s")]
    async fn run(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

impl<'a> Lines<'a> {
    #[singleton(key = "first", ttl = "30s")]
    pub(crate) async fn first(&self) -> &'a str {
        self.0
    }
}

fn main() {
    drop((
        documented("a"),
        on_one_line(),
        empty(),
        endless(),
        wrapped_values(),
        quiet(String::new()),
        result(),
        items_first(),
    ));
    let lines = Lines("a");
    drop((lines.run(), lines.first()));
}
