//! The job: mails the overdue customers; one line above it makes it run in one instance only.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use dlock_runtime::singleton;

use crate::csv::{Reminder, deal, read_invoices};
use crate::journal::{Event, Journal};
use crate::plan::{JOB_TIME, Plan, about};

/// What the job works with.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) journal: Journal,
    outbox: PathBuf,
    reminders: Vec<Reminder>,
    pause: Duration,
}

/// The job, as every instance calls it at every tick. `None`: another instance is at it, or has just been.
#[singleton(key = "jobs:invoice-reminders", ttl = "1s", min_hold = "400ms")]
pub(crate) async fn send_invoice_reminders(job: &Job, tick: u32) -> io::Result<()> {
    job.send_what_is_due(tick).await
}

impl Job {
    pub(crate) fn prepare(plan: &Plan, instance: &str) -> io::Result<Self> {
        let reminders = deal(read_invoices()?, plan.ticks);
        let in_a_tick = u32::try_from(reminders.len()).unwrap_or(u32::MAX).div_ceil(plan.ticks);
        let journal = Journal::open(&plan.journal(), instance, true)?;
        Ok(Self { journal, outbox: plan.outbox(), reminders, pause: JOB_TIME / in_a_tick.max(1) })
    }

    /// Mails whoever was to be mailed by now and was not: this tick's customers, and those whom a killed run left.
    pub(crate) async fn send_what_is_due(&self, tick: u32) -> io::Result<()> {
        self.journal.write(Event::Start { tick })?;
        let sent = self.sent()?;
        let is_due = |reminder: &&Reminder| reminder.tick <= tick && !sent.contains(&reminder.file_name());
        for reminder in self.reminders.iter().filter(is_due) {
            let (tick, invoice) = (reminder.tick, reminder.invoice.id.clone());
            let event = if self.mail(reminder)? {
                Event::Mail { tick, invoice }
            } else {
                Event::Refused { tick, invoice }
            };
            self.journal.write(event)?;
            tokio::time::sleep(self.pause).await;
        }
        self.journal.write(Event::End { tick })
    }

    fn sent(&self) -> io::Result<HashSet<String>> {
        let names = std::fs::read_dir(&self.outbox).map_err(|error| about(error, &self.outbox))?;
        names.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// "Sends" a mail; false if it had been sent before.
    ///
    /// The file is created with create-new, so a second mail of the same name is refused by the file system. This is
    /// the second line of defense, which a lock does not replace: a process can be paused between its last look at
    /// the lease and the effect. A mail provider offers the same as an idempotency key, a table as a unique constraint.
    fn mail(&self, reminder: &Reminder) -> io::Result<bool> {
        let path = self.outbox.join(reminder.file_name());
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            opened => opened.map_err(|error| about(error, &path))?,
        };
        let invoice = &reminder.invoice;
        write!(
            file,
            "To: {} <{}>\nSubject: Invoice {} is overdue\n\nInvoice {} over {} was due on {}. Please settle it.\n",
            invoice.customer, invoice.email, invoice.id, invoice.id, invoice.amount, invoice.due
        )?;
        Ok(true)
    }
}
