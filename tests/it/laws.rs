//! The laws of the product, each against the real thing.

mod absence;
mod backends;
mod calls;
mod clocks;
mod drops;
mod events;
mod holding;
mod min_hold;
mod outage;
mod paused;
mod refused;
mod servers;
mod size;
mod startup;
mod stores;
mod taken;
mod unreachable;
mod wire;
