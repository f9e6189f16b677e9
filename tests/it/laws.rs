//! The laws of the product, each against the real thing.

mod calls;
mod drops;
mod holding;
mod min_hold;
mod outage;
mod paused;
mod servers;
mod startup;
mod stores;
mod taken;
mod unreachable;
mod wire;
