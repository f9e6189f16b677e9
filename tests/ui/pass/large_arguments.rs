//! A future is little larger than the body's own, also where the key borrows a large argument that the body takes.
#![deny(warnings, clippy::all, clippy::pedantic)]

use std::fmt;

use dlock_runtime::{Locks, Memory, singleton};

/// The most bytes that the lock adds to a future.
const MOST: usize = 512;

struct Order {
    id: u32,
    lines: [u8; 2048],
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

async fn tick() {
    std::future::ready(()).await;
}

/// The same function with the attribute and without.
macro_rules! both {
    ($($name:ident($($arguments:tt)*) -> $returned:ty $body:block under $key:literal)*) => {
        mod with {
            use super::*;
            $(#[singleton(key = $key, ttl = "30s")]
            pub async fn $name($($arguments)*) -> $returned $body)*
        }
        mod without {
            use super::*;
            $(pub async fn $name($($arguments)*) -> $returned $body)*
        }
    };
}

both! {
    shown(order: Order) -> u8 { tick().await; order.lines[0] } under "{order}"
    field(order: Order) -> u8 { tick().await; order.lines[0] } under "{order.id}"
    mutable(mut order: Order) -> u8 { order.lines[0] = 7; tick().await; order.lines[0] } under "{order}"
    given_back(order: Order) -> Order { tick().await; order } under "{order.id:08}:{order}"
    generic(order: impl fmt::Display, second: [u8; 512]) -> String { tick().await; format!("{order}{}", second[0]) } under "{order}:{second:?}"
    not_in_the_key(order: Order) -> u8 { tick().await; order.lines[0] } under "jobs"
}

fn order() -> Order {
    Order { id: 1, lines: [1; 2048] }
}

macro_rules! check {
    ($($name:ident($($argument:expr),*) gives $expected:pat,)*) => {
        $(
            let (with, without) = (with::$name($($argument),*), without::$name($($argument),*));
            let (larger, plain) = (size_of_val(&with), size_of_val(&without));
            assert!(larger <= plain + MOST, "{}: {larger} and {plain}", stringify!($name));
            assert!(matches!(with.await, Some($expected)), "{}", stringify!($name));
            drop(without);
        )*
    };
}

async fn all() {
    check! {
        shown(order()) gives 1,
        field(order()) gives 1,
        mutable(order()) gives 7,
        given_back(order()) gives Order { id: 1, .. },
        generic(order(), [2; 512]) gives _,
        not_in_the_key(order()) gives 1,
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(Locks::builder(Memory::new()).build().scope(all()));
}
