//! Faults: how a request fares on a bad network.

use std::time::Duration;

use dlock_runtime::testing::{Call, Fate, Reply};
use tokio::time::Instant;

use crate::dice::Dice;

/// How bad a history is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// Per cent of requests whose answer is lost although they are executed.
    pub(crate) lost_answers: u64,
    /// Per cent of requests that never arrive.
    pub(crate) lost_requests: u64,
    /// Per cent of requests whose connection breaks, executed or not.
    pub(crate) breaks: u64,
    /// Per cent of requests that are refused.
    pub(crate) refusals: u64,
    /// Per cent of requests that are slow.
    pub(crate) slow: u64,
    /// Whether the network fails as a whole now and then.
    pub(crate) outages: bool,
}

/// One process's way to the store.
pub(crate) struct Network {
    dice: Dice,
    weather: Weather,
    /// When nothing goes wrong any more.
    calm: Instant,
    /// The outage that is, or comes next: nothing arrives, and no answer does.
    outage: (Instant, Instant),
}

impl Network {
    pub(crate) fn new(dice: Dice, weather: Weather, calm: Instant) -> Network {
        let now = Instant::now();
        Network { dice, weather, calm, outage: (now, now) }
    }

    /// How the next request fares.
    pub(crate) fn fate(&mut self, _call: Call) -> Fate {
        let now = Instant::now();
        if self.weather.outages && now >= self.outage.1 {
            let begin = now + self.dice.millis(6000);
            self.outage = (begin, begin + self.dice.millis(3000));
        }
        let fate = self.weather.fate(&self.dice, self.calm);
        if now < self.outage.0 || now >= self.outage.1 || now >= self.calm {
            return fate;
        }
        // The last requests before an outage may still arrive; their answers do not.
        Fate { executed: fate.executed.filter(|_| self.dice.percent(20)), reply: Reply::Never }
    }
}

impl Weather {
    /// Fair in one history of three, bad in one, foul in one.
    pub(crate) fn of(dice: &Dice) -> Weather {
        match dice.below(3) {
            0 => {
                Weather { lost_answers: 0, lost_requests: 0, breaks: 0, refusals: 0, slow: 5, outages: false }
            }
            1 => {
                Weather { lost_answers: 3, lost_requests: 3, breaks: 3, refusals: 1, slow: 30, outages: true }
            }
            _ => Weather {
                lost_answers: 20,
                lost_requests: 20,
                breaks: 15,
                refusals: 5,
                slow: 20,
                outages: true,
            },
        }
    }

    /// How one request fares. After `calm` all fare well.
    pub(crate) fn fate(&self, dice: &Dice, calm: Instant) -> Fate {
        let quick = dice.millis(3);
        if Instant::now() >= calm {
            return Fate { executed: Some(quick), reply: Reply::After(dice.millis(3)) };
        }
        let roll = dice.below(100);
        let upto = [self.lost_answers, self.lost_requests, self.breaks, self.refusals, self.slow];
        let kind = upto.iter().scan(0, |sum, share| {
            *sum += share;
            Some(*sum)
        });
        match kind.into_iter().position(|end| roll < end) {
            Some(0) => Fate { executed: Some(quick), reply: Reply::Never },
            Some(1) => Fate { executed: None, reply: Reply::Never },
            Some(2) => {
                let executed = dice.percent(50).then(|| dice.millis(200));
                Fate { executed, reply: Reply::Breaks(dice.millis(20)) }
            }
            Some(3) if dice.percent(50) => Fate { executed: None, reply: Reply::Unreachable },
            Some(3) => Fate { executed: None, reply: Reply::Refused },
            Some(_) => {
                let most = if dice.percent(70) { 250 } else { 1500 };
                Fate { executed: Some(dice.millis(most)), reply: Reply::After(dice.millis(most)) }
            }
            None => Fate { executed: Some(quick), reply: Reply::After(dice.millis(3)) },
        }
    }
}

/// Longer than anything that is on its way.
pub(crate) const SETTLED: Duration = Duration::from_secs(10);
