//! Figures: what a history comes to, for people to read.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use crate::deeds::Fault;
use crate::support::journal::Told;

/// Counts and worst cases; durations in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// How many calls were made.
    pub(crate) calls: usize,
    /// How many bodies began.
    pub(crate) bodies: usize,
    /// What the calls returned.
    pub(crate) told: BTreeMap<Told, usize>,
    /// What the nemesis did.
    pub(crate) faults: BTreeMap<Fault, usize>,
    /// Pairs of bodies at once because the server's data was lost.
    pub(crate) overlaps_after_loss: usize,
    /// How long after the loss the older one of such a pair still took a step.
    pub(crate) longest_after_loss: u64,
    /// Pairs of bodies at once because a process was stopped in the middle of a poll.
    pub(crate) overlaps_of_a_stopped_poll: usize,
    /// All other pairs.
    pub(crate) overlaps_unexplained: usize,
    /// How many bodies were stopped for a ttl or longer.
    pub(crate) woken_too_late: usize,
    /// The most steps that one of them took after it.
    pub(crate) steps_after_waking: usize,
    /// How many kills hit the holder.
    pub(crate) holders_killed: usize,
    /// After how many of them nothing else was wrong, so that the takeover could be measured.
    pub(crate) takeovers: usize,
    /// The longest of those.
    pub(crate) worst_takeover: u64,
    /// How many bodies were told that they had lost their lease with the server's data.
    pub(crate) detections: usize,
    /// The longest that one was not.
    pub(crate) worst_detection: u64,
    /// How many bodies got a fencing token.
    pub(crate) tokens: usize,
    /// How many steps came from a body whose token was no longer the largest: a resource that checks refuses them.
    pub(crate) stale_writes: usize,
    /// How many bodies lost their lease without a fault.
    pub(crate) losses_unexplained: usize,
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ms = |nanos: u64| nanos / 1_000_000;
        let faults: usize = self.faults.values().sum();
        writeln!(f, "operations: {} calls, {} bodies; told {:?}", self.calls, self.bodies, self.told)?;
        writeln!(f, "faults: {faults}, by kind {:?}", self.faults)?;
        writeln!(
            f,
            "overlaps: {} explained by lost data (up to {} ms after it), {} by a poll in which a process was stopped, \
             {} unexplained",
            self.overlaps_after_loss,
            ms(self.longest_after_loss),
            self.overlaps_of_a_stopped_poll,
            self.overlaps_unexplained
        )?;
        writeln!(
            f,
            "stopped past the ttl: {} bodies, at most {} steps after waking",
            self.woken_too_late, self.steps_after_waking
        )?;
        writeln!(
            f,
            "worst takeover: {} ms, in {} of {} kills of a holder that nothing else disturbed",
            ms(self.worst_takeover),
            self.takeovers,
            self.holders_killed
        )?;
        writeln!(
            f,
            "fencing: {} tokens; {} steps after a larger one had been used",
            self.tokens, self.stale_writes
        )?;
        write!(
            f,
            "worst detection: {} ms in {} losses by lost data; losses without a fault: {}",
            ms(self.worst_detection),
            self.detections,
            self.losses_unexplained
        )
    }
}
