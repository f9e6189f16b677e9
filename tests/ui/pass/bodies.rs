//! Bodies behave as they would without the attribute, and keys are what their templates say.
#![deny(warnings)]

use std::cell::RefCell;
use std::fmt;

use dlock_runtime::{Lease, Locks, Memory, singleton};

thread_local!(static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) });

/// Logs that it was dropped or shown.
struct Probe(&'static str);

impl Probe {
    fn number(&self) -> u32 {
        1
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        LOG.with_borrow_mut(|log| log.push(self.0));
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LOG.with_borrow_mut(|log| log.push("shown"));
        f.write_str(self.0)
    }
}

#[singleton(key = "tail", ttl = "30s")]
async fn tail() -> u32 {
    let _local = Probe("local");
    Probe("temporary").number()
}

async fn tail_without() -> u32 {
    let _local = Probe("local");
    Probe("temporary").number()
}

#[singleton(key = "lazy:{named}", ttl = "30s")]
async fn lazy(named: Probe, _: Probe, _unused: Probe) -> u32 {
    named.number()
}

#[singleton(key = "flow", ttl = "30s")]
async fn flow(text: &str) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
    let parse = |text: &str| -> Option<u32> { text.strip_prefix('#')?.parse().ok() };
    let Some(number) = parse(text) else {
        return Err(text.into());
    };
    let found = 'outer: loop {
        for i in 0.. {
            if i > number {
                break 'outer i;
            }
        }
    };
    Ok(u32::from_str_radix(&found.to_string(), 10)?)
}

#[singleton(key = "only in the key:{guard}", ttl = "30s")]
async fn only_in_the_key(guard: Probe) {
    LOG.with_borrow_mut(|log| log.push("body"));
}

#[singleton(key = "in a text:{guard}", ttl = "30s")]
async fn in_a_text(guard: Probe) {
    drop(format!("{guard}"));
    LOG.with_borrow_mut(|log| log.push("body"));
}

fn key() -> String {
    Lease::current()
        .map(|lease| lease.key().to_string())
        .unwrap_or_default()
}

struct Order {
    id: u64,
    pair: (u8, &'static str),
}

#[singleton(
    key = r#"{{{name}}} "{order.id:04}" {order.pair.1:?} {größe:>3}"#,
    ttl = "1m 30s"
)]
async fn template(name: &str, order: Order, größe: u8) -> String {
    let _ = (name, order.pair.0, größe);
    key()
}

#[singleton(key = format!("made of {}", name.len()), ttl = std::time::Duration::from_secs(30), min_hold = "1ms")]
async fn expression(name: String) -> String {
    drop(name);
    key()
}

const KEY: &str = "constant";

#[singleton(key = KEY, ttl = "30s", on_lost = "continue", on_error = "run")]
async fn constant() -> String {
    key()
}

#[singleton(key = "", ttl = "30s")]
#[cfg(any())]
async fn gone() {}

async fn all() {
    assert_eq!(tail().await, Some(tail_without().await));
    let order = LOG.take();
    assert_eq!(order[..2], order[2..]);

    let future = lazy(Probe("named"), Probe("_"), Probe("_unused"));
    assert!(LOG.take().is_empty());
    drop(future);
    assert_eq!(LOG.take().len(), 3);
    assert_eq!(lazy(Probe("named"), Probe("_"), Probe("_unused")).await, Some(1));
    assert_eq!(LOG.take().iter().filter(|entry| **entry == "shown").count(), 1);

    assert_eq!(only_in_the_key(Probe("guard")).await, Some(()));
    assert_eq!(LOG.take(), ["shown", "body", "guard"]);
    assert_eq!(in_a_text(Probe("guard")).await, Some(()));
    assert_eq!(LOG.take(), ["shown", "shown", "body", "guard"]);

    assert!(matches!(flow("#3").await, Some(Ok(4))));
    assert!(matches!(flow("3").await, Some(Err(error)) if error.to_string() == "3"));

    let order = Order {
        id: 7,
        pair: (1, "x\"y"),
    };
    assert_eq!(
        template("a", order, 5).await.as_deref(),
        Some(r#"{a} "0007" "x\"y"   5"#)
    );
    assert_eq!(expression("abc".to_owned()).await.as_deref(), Some("made of 3"));
    assert_eq!(constant().await.as_deref(), Some("constant"));
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(Locks::builder(Memory::new()).build().scope(all()));
}
