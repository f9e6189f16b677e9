//! The laws of the product, each against the real thing.

mod absence;
mod backends;
mod calls;
mod drops;
mod events;
mod fencing;
mod holding;
mod min_hold;
mod outage;
mod paused;
mod servers;
mod size;
mod startup;
mod stores;
mod taken;
mod unreachable;
mod wire;
