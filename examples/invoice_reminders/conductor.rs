//! The conductor: the parent process, which starts the instances, kills the working one, and starts a replacement.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use crate::instance::micros;
use crate::journal::{Event, Journal, now_us};
use crate::narrator::Narrator;
use crate::plan::{INSTANCES, Plan, TICK};
use crate::process::{Instance, Message};

/// For an instance to start, or to end.
const PATIENCE: Duration = Duration::from_secs(15);
/// From the orders to the first tick.
const LEAD_IN: Duration = Duration::from_millis(100);

/// Runs the instances through all ticks; gives the moment of the first one, for the timeline.
pub(crate) async fn conduct(plan: &Plan, url: &str, mails_before_kill: usize) -> io::Result<u64> {
    let (sender, messages) = mpsc::channel(64);
    let mut conductor = Conductor {
        plan,
        url,
        mails_before_kill,
        sender,
        messages,
        instances: BTreeMap::new(),
        start: 0,
        kill: Kill::Armed,
        work: BTreeMap::new(),
        narrator: Narrator::default(),
    };
    timeout(PATIENCE, conductor.start_all())
        .await
        .map_err(|_| io::Error::other("the instances did not start"))??;
    let end = Instant::now() + TICK * plan.ticks + PATIENCE;
    timeout_at(end, conductor.follow())
        .await
        .map_err(|_| io::Error::other("the instances did not finish in time"))??;
    for (name, instance) in conductor.instances {
        let late = |_| io::Error::other(format!("instance {name} did not end"));
        timeout(PATIENCE, instance.end()).await.map_err(late)??;
    }
    Ok(conductor.start)
}

/// Where the killing of the working instance stands.
#[derive(Debug)]
enum Kill {
    /// At the next chance.
    Armed,
    /// The signal is sent to this instance; it counts if its run was cut short.
    Sent(String),
    Done,
}

struct Conductor<'a> {
    plan: &'a Plan,
    url: &'a str,
    mails_before_kill: usize,
    sender: mpsc::Sender<Message>,
    messages: mpsc::Receiver<Message>,
    /// Those that live.
    instances: BTreeMap<String, Instance>,
    start: u64,
    kill: Kill,
    /// Who is in the body right now, and the mails of that run.
    work: BTreeMap<String, usize>,
    narrator: Narrator,
}

impl Conductor<'_> {
    async fn start_all(&mut self) -> io::Result<()> {
        for name in INSTANCES {
            self.spawn(name)?;
        }
        for _ in INSTANCES {
            match self.next().await? {
                (_, Some(entry)) if entry.event == Event::Up => {}
                (name, _) => {
                    return Err(io::Error::other(format!("instance {name} ended before it was ready")));
                }
            }
        }
        self.start = now_us() + micros(LEAD_IN);
        for instance in self.instances.values_mut() {
            instance.order(self.start, 1).await?;
        }
        Ok(())
    }

    fn spawn(&mut self, name: &str) -> io::Result<()> {
        let instance = Instance::spawn(name, self.plan, self.url, self.sender.clone())?;
        self.instances.insert(name.to_owned(), instance);
        Ok(())
    }

    async fn next(&mut self) -> io::Result<Message> {
        // Never the end of the channel: one of its senders is ours.
        self.messages.recv().await.ok_or_else(|| io::Error::other("the instances are gone"))
    }

    /// Until all living instances are through all ticks.
    async fn follow(&mut self) -> io::Result<()> {
        while self.instances.values().any(|instance| !instance.is_finished) {
            let (name, entry) = self.next().await?;
            match entry {
                Some(entry) => self.hear(&name, entry.event).await?,
                None => self.bury(&name).await?,
            }
        }
        Ok(())
    }

    async fn hear(&mut self, name: &str, event: Event) -> io::Result<()> {
        self.narrator.tell(name, &event);
        match event {
            Event::Up => self.put_to_work(name).await,
            Event::Start { .. } => {
                self.work.insert(name.to_owned(), 0);
                Ok(())
            }
            Event::Mail { tick, .. } => {
                let mails = self.work.get_mut(name).map_or(0, |mails| {
                    *mails += 1;
                    *mails
                });
                let is_time = mails == self.mails_before_kill && tick >= self.plan.kill_tick();
                if is_time && matches!(self.kill, Kill::Armed) { self.kill(name) } else { Ok(()) }
            }
            Event::End { .. } | Event::Failed { .. } => {
                self.work.remove(name);
                Ok(())
            }
            Event::Finished => {
                self.instances.get_mut(name).into_iter().for_each(|instance| instance.is_finished = true);
                Ok(())
            }
            Event::Fire { .. } | Event::Skip { .. } | Event::Refused { .. } | Event::Kill => Ok(()),
        }
    }

    fn kill(&mut self, name: &str) -> io::Result<()> {
        let Some(instance) = self.instances.get_mut(name) else {
            return Ok(());
        };
        Journal::open(&self.plan.journal(), name, false)?.write(Event::Kill)?;
        instance.kill()?;
        self.kill = Kill::Sent(name.to_owned());
        Ok(())
    }

    /// An instance ended: as planned, or else it is an error. Its last words have all been heard.
    async fn bury(&mut self, name: &str) -> io::Result<()> {
        let Some(instance) = self.instances.remove(name) else {
            return Ok(());
        };
        if !matches!(&self.kill, Kill::Sent(killed) if killed == name) {
            return Err(io::Error::other(format!("instance {name} ended by itself")));
        }
        instance.end().await?;
        // On a slow machine the signal can come after the end of the run: then there is nothing to take over.
        let cut = self.work.remove(name);
        self.kill = if cut.is_some() { Kill::Done } else { Kill::Armed };
        let replacement = self.narrator.replace(name, cut);
        self.spawn(&replacement)
    }

    /// The replacement joins at the next tick.
    async fn put_to_work(&mut self, name: &str) -> io::Result<()> {
        let ticks_begun = now_us().saturating_sub(self.start) / micros(TICK) + 1;
        let next = u32::try_from(ticks_begun).unwrap_or(u32::MAX).saturating_add(1);
        match self.instances.get_mut(name) {
            Some(instance) => instance.order(self.start, next).await,
            None => Ok(()),
        }
    }
}
