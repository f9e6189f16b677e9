//! The laws of the product, each against the real thing.

mod absence;
mod backends;
mod calls;
mod cards;
mod clocks;
mod drops;
mod ends;
mod events;
mod fencing;
mod holding;
mod keys;
mod limits;
mod min_hold;
mod newcomers;
mod outage;
mod paused;
mod refused;
mod servers;
mod size;
mod startup;
mod stores;
mod taken;
mod takeover;
mod unreachable;
mod wire;
