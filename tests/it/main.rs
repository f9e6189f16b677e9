//! Tests of dlock against real servers and real processes: everything that needs either is in this one
//! binary.

mod harness;
mod laws;
mod support;
