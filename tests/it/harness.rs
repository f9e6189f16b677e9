//! The laws of the harness itself: what the other tests take for granted.

mod journal;
mod monitor;
mod probe;
mod proxy;
mod redis;
