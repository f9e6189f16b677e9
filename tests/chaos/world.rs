//! World: the server, the network and the instances that the nemesis is let loose on.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use crate::dice::Dice;
use crate::support::journal::Journal;
use crate::support::poll;
use crate::support::probe::Probe;
use crate::support::proxy::Proxy;
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

/// The ttl of every lease.
pub(crate) const TTL: Duration = Duration::from_millis(600);

/// The longest pause of an instance between two calls.
pub(crate) const GAP: Duration = Duration::from_millis(30);

/// The length of one step of a body.
const STEP: Duration = Duration::from_millis(10);

/// The most steps of a body: twice the ttl.
const STEPS: u32 = 120;

/// How many instances there are. Half of them reach the server through the proxy.
pub(crate) const INSTANCES: usize = 4;

/// How much of the ledger's end is enough to see who is at it.
const TAIL: u64 = 16 * 1024;

/// Everything that runs. All of it ends on drop.
pub(crate) struct World {
    /// Always there, not always running.
    pub(crate) server: RedisServer,
    /// In front of it.
    pub(crate) proxy: Proxy,
    /// Running or stopped.
    instances: Vec<Probe>,
    /// What killed instances had complained about.
    complaints: Vec<String>,
    /// Where the ledger is.
    dir: TempDir,
    /// What decides about the jobs of an instance.
    dice: Dice,
}

impl World {
    /// Starts it all.
    pub(crate) fn start(dice: &Dice) -> World {
        // What was answered is on disk, short of a power failure: `kill -9` loses nothing.
        let server = RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "no"]);
        let proxy = Proxy::to(server.port());
        let dir = TempDir::new();
        let (instances, complaints) = (Vec::new(), Vec::new());
        let mut world = World { server, proxy, instances, complaints, dir, dice: dice.clone() };
        std::fs::write(world.going_on(), "").expect("a file in the test's own folder");
        world.instances = (0..INSTANCES).map(|number| world.instance(number)).collect();
        world
    }

    /// Where everybody writes down what is done.
    pub(crate) fn ledger_path(&self) -> PathBuf {
        self.dir.path().join("ledger")
    }

    /// As long as it is there, instances make calls.
    fn going_on(&self) -> PathBuf {
        self.dir.path().join("going-on")
    }

    /// Starts an instance.
    fn instance(&self, number: usize) -> Probe {
        let url = if number.is_multiple_of(2) { self.server.url() } else { self.proxy.url() };
        let runtime = if number < INSTANCES / 2 { "current" } else { "multi" };
        Probe::at(&url, "chaos")
            .set("ttl-ms", TTL.as_millis())
            .set("steps", STEPS)
            .set("step-ms", STEP.as_millis())
            .set("gap-ms", GAP.as_millis())
            .set("calls", 1_000_000)
            .set("random", self.dice.below(1_000_000))
            .set("runtime", runtime)
            .set("while", self.going_on().display())
            .flag("ledger")
            .flag("fence")
            .journal(&self.ledger_path())
            .spawn()
    }

    /// One instance.
    pub(crate) fn at(&self, number: usize) -> &Probe {
        &self.instances[number]
    }

    /// SIGKILL to one instance. [`World::replace`] comes next.
    pub(crate) fn kill(&mut self, number: usize) {
        self.instances[number].kill();
        self.complaints.push(self.instances[number].stderr());
    }

    /// Starts another one in the place of one that was killed.
    pub(crate) fn replace(&mut self, number: usize) {
        self.instances[number] = self.instance(number);
    }

    /// The ledger so far.
    pub(crate) fn ledger(&self) -> Journal {
        Journal::read(&self.ledger_path())
    }

    /// The end of the ledger.
    pub(crate) fn recently(&self) -> Journal {
        let mut text = Vec::new();
        if let Ok(mut file) = std::fs::File::open(self.ledger_path()) {
            let length = file.metadata().map_or(0, |data| data.len());
            let begin = SeekFrom::Start(length.saturating_sub(TAIL));
            file.seek(begin).and_then(|_| file.read_to_end(&mut text)).expect("the ledger can be read");
            if length > TAIL {
                // The first line may be the end of one.
                let end = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1);
                text.drain(..end);
            }
        }
        Journal::parse(&String::from_utf8_lossy(&text))
    }

    /// Lets the instances come to their end, and returns what they ever complained about.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        std::fs::remove_file(self.going_on()).expect("it was there");
        for instance in &mut self.instances {
            let status = instance.wait(Duration::from_secs(20));
            self.complaints.push(instance.stderr());
            if !status.success() {
                self.complaints.push(format!("an instance ended with {status}"));
            }
        }
        self.complaints.retain(|complaint| !complaint.is_empty());
        std::mem::take(&mut self.complaints)
    }

    /// What is still on the server once it had a ttl and a second to forget.
    pub(crate) fn left_on_the_server(&self) -> Vec<String> {
        // A counter of fencing tokens stays: it is not the lock.
        let locks = || self.server.keys().into_iter().filter(|key| key == "accept:chaos").collect::<Vec<_>>();
        let empty = poll::find_within(TTL + Duration::from_secs(1), || locks().is_empty().then_some(()));
        if empty.is_some() { Vec::new() } else { locks() }
    }
}
