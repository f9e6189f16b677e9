//! Nemesis: does one fault after the other, decided by a seed, and repairs them after a while.

use std::time::{Duration, Instant};

use crate::deeds::{Deed, Fault};
use crate::dice::Dice;
use crate::runs;
use crate::support::journal::now;
use crate::support::proxy::Mode;
use crate::world::{INSTANCES, TTL, World};

/// The longest pause between two faults.
const PAUSE_MS: u64 = 600;

/// What has to be repaired, and when.
#[derive(Clone, Copy)]
struct Repair {
    /// When.
    due: Instant,
    /// What is to be mended.
    what: Broken,
    /// The number of the deed.
    deed: usize,
}

/// What is broken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    /// This instance is stopped.
    Instance(usize),
    /// The server is stopped.
    Stopped,
    /// The server is gone.
    Down,
    /// The server is gone, and so is its data.
    Wiped,
    /// The proxy does not pass.
    Network,
}

/// The nemesis.
pub(crate) struct Nemesis<'a> {
    /// What it is let loose on.
    world: &'a mut World,
    /// What decides.
    dice: Dice,
    /// What it has done.
    deeds: Vec<Deed>,
    /// What is still broken.
    repairs: Vec<Repair>,
}

impl<'a> Nemesis<'a> {
    /// One that has done nothing yet.
    pub(crate) fn new(world: &'a mut World, dice: Dice) -> Nemesis<'a> {
        Nemesis { world, dice, deeds: Vec::new(), repairs: Vec::new() }
    }

    /// Does so many faults, repairs them all, and says what it did.
    pub(crate) fn rage(mut self, faults: usize) -> Vec<Deed> {
        while self.deeds.len() < faults {
            self.rest(self.dice.millis(PAUSE_MS));
            let fault = self.choose();
            self.strike(fault);
        }
        self.repair_all();
        self.deeds
    }

    /// Lets time go by, and repairs what becomes due.
    fn rest(&mut self, pause: Duration) {
        let end = Instant::now() + pause;
        loop {
            let next = self.repairs.iter().map(|repair| repair.due).min().filter(|due| *due <= end);
            std::thread::sleep(next.unwrap_or(end).saturating_duration_since(Instant::now()));
            if next.is_none() {
                return;
            }
            self.repair(|repair| Some(repair.due) <= next);
        }
    }

    /// Repairs everything at once.
    fn repair_all(&mut self) {
        self.repair(|_| true);
    }

    /// Repairs these.
    fn repair(&mut self, which: impl Fn(&Repair) -> bool) {
        let (due, later) = self.repairs.iter().partition(|repair| which(repair));
        self.repairs = later;
        let due: Vec<Repair> = due;
        for Repair { what, deed, .. } in due {
            self.deeds[deed].until = now();
            match what {
                Broken::Instance(number) => self.world.at(number).cont(),
                Broken::Stopped => self.world.server.cont(),
                Broken::Network => self.world.proxy.set(Mode::Pass),
                Broken::Down => self.world.server.restart(),
                Broken::Wiped => self.world.server.restart_empty(),
            }
            if matches!(what, Broken::Down | Broken::Wiped) {
                // It answers only now.
                self.deeds[deed].until = now();
            }
        }
    }

    /// Whether any of these is broken now.
    fn is_broken(&self, which: impl Fn(Broken) -> bool) -> bool {
        self.repairs.iter().any(|repair| which(repair.what))
    }

    /// A fault that is possible now.
    fn choose(&self) -> Fault {
        let server = self.is_broken(|what| matches!(what, Broken::Stopped | Broken::Down | Broken::Wiped));
        let network = self.is_broken(|what| what == Broken::Network);
        let possible =
            |fault: &Fault| !(server && fault.is_the_servers() || network && fault.is_the_networks());
        let possible: Vec<Fault> = Fault::ALL.into_iter().filter(possible).collect();
        // Processes are nearly the half of it.
        match self.dice.below(100) {
            0..20 => Fault::StopProcess,
            20..35 => Fault::KillProcess,
            _ => possible[self.below(possible.len())],
        }
    }

    /// A number below `end`.
    fn below(&self, end: usize) -> usize {
        usize::try_from(self.dice.below(end as u64)).expect("below a usize")
    }

    /// Mostly the one that is in its body, else any.
    fn victim(&self) -> usize {
        let any = self.below(INSTANCES);
        if self.dice.percent(25) {
            return any;
        }
        let recent = runs::runs(&self.world.recently());
        let inside = recent.iter().rev().filter(|run| run.told.is_none() && run.first().is_some());
        let holders: Vec<u32> = inside.map(|run| run.pid).collect();
        let holds = |number: &usize| holders.contains(&self.world.at(*number).pid());
        (0..INSTANCES).find(holds).unwrap_or(any)
    }

    /// Does this fault.
    fn strike(&mut self, fault: Fault) {
        match fault {
            Fault::StopProcess => self.stop_process(),
            Fault::KillProcess => self.kill_process(),
            Fault::StopServer => self.lasting(fault, Broken::Stopped, |world, _| world.server.stop()),
            Fault::RestartServer => self.lasting(fault, Broken::Down, |world, _| world.server.kill()),
            Fault::WipeServer => self.lasting(fault, Broken::Wiped, |world, _| world.server.kill()),
            Fault::FlushAll => self.momentary(fault, None, |world, _| drop(world.server.cmd(&["FLUSHALL"]))),
            // These two count answers down; they last until it is certain that they are over.
            Fault::Cut => self.lasting(fault, Broken::Network, |world, dice| {
                world.proxy.set(Mode::Cut(1 + u32::try_from(dice.below(5)).expect("small")));
            }),
            Fault::HalfOpen => self.lasting(fault, Broken::Network, |world, dice| {
                world.proxy.set(Mode::SwallowReplies(1 + u32::try_from(dice.below(5)).expect("small")));
            }),
            Fault::Delay => self.lasting(fault, Broken::Network, |world, dice| {
                world.proxy.set(Mode::DelayReplies(dice.millis(900)));
            }),
            Fault::Blackhole => {
                self.lasting(fault, Broken::Network, |world, _| world.proxy.set(Mode::Blackhole));
            }
            Fault::Reset => self.momentary(fault, None, |world, _| world.proxy.reset()),
        }
    }

    /// A fault that is over at once.
    fn momentary(&mut self, fault: Fault, pid: Option<u32>, act: impl FnOnce(&mut World, &Dice)) {
        let begun = now();
        act(self.world, &self.dice);
        let done = now();
        self.deeds.push(Deed { fault, pid, begun, done, until: done });
    }

    /// A fault that is repaired up to two ttl later.
    fn lasting(&mut self, fault: Fault, what: Broken, act: impl FnOnce(&mut World, &Dice)) {
        let pid = match what {
            Broken::Instance(number) => Some(self.world.at(number).pid()),
            _ => None,
        };
        self.momentary(fault, pid, act);
        let deed = self.deeds.len() - 1;
        self.deeds[deed].until = u64::MAX;
        let most = u64::try_from(TTL.as_millis()).expect("small") * 2;
        self.repairs.push(Repair { due: Instant::now() + self.dice.millis(most), what, deed });
    }

    /// Stops an instance.
    fn stop_process(&mut self) {
        let number = self.victim();
        if self.is_broken(|what| what == Broken::Instance(number)) {
            // It is stopped already: the longer stop is the fault, then.
            return;
        }
        self.lasting(Fault::StopProcess, Broken::Instance(number), |world, _| world.at(number).stop());
    }

    /// Kills an instance and starts another one in its place.
    fn kill_process(&mut self) {
        // Half of the kills are alone, so that the takeover can be measured.
        let alone = self.dice.percent(50);
        if alone {
            self.repair_all();
            self.rest(TTL * 5 / 4);
        }
        let number = self.victim();
        let pid = self.world.at(number).pid();
        self.momentary(Fault::KillProcess, Some(pid), |world, _| world.kill(number));
        // Whoever was stopped and is killed is never continued.
        let killed = self.deeds[self.deeds.len() - 1].begun;
        for repair in self.repairs.extract_if(.., |repair| repair.what == Broken::Instance(number)) {
            self.deeds[repair.deed].until = killed;
        }
        self.world.replace(number);
        if alone {
            self.rest(TTL * 5 / 4);
        }
    }
}
