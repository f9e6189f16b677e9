//! An instance: a process that fires the job at every tick of its own, inexact clock, as a deployed service does.

use std::io::{self, BufRead as _};
use std::time::Duration;

use dlock_runtime::Locks;
use tokio::sync::oneshot;

use crate::job::{Job, send_invoice_reminders};
use crate::journal::{Event, now_us};
use crate::plan::{Plan, TICK, clock_error};

/// When the first tick is, and which tick is the first one of this instance.
struct Orders {
    start: u64,
    first_tick: u32,
}

/// Fires the job through all ticks; ends when the parent closes the standard input, which its death does too.
pub(crate) async fn run(name: &str, plan: &Plan) -> io::Result<()> {
    // DLOCK_URL and DLOCK_HOLDER were set by the parent: a URL in the arguments would show its password to `ps`.
    dlock_runtime::init(Locks::from_env()?)?;
    let job = Job::prepare(plan, name)?;
    job.journal.write(Event::Up)?;
    let (orders, closed) = listen();
    let Ok(orders) = orders.await else { return Ok(()) };
    tokio::select! {
        fired = fire_all(&job, name, plan, &orders) => fired?,
        _ = closed => return Ok(()),
    }
    Ok(())
}

async fn fire_all(job: &Job, name: &str, plan: &Plan, orders: &Orders) -> io::Result<()> {
    for tick in orders.first_tick..=plan.ticks {
        let at = orders.start + (micros(TICK) * u64::from(tick - 1)) + micros(clock_error(name, tick));
        tokio::time::sleep(Duration::from_micros(at.saturating_sub(now_us()))).await;
        job.journal.write(Event::Fire { tick })?;
        let outcome = if plan.locked {
            send_invoice_reminders(job, tick).await
        } else {
            Some(job.send_what_is_due(tick).await)
        };
        match outcome {
            Some(Ok(())) => {}
            Some(Err(error)) => job.journal.write(Event::Failed { tick, why: error.to_string() })?,
            None => job.journal.write(Event::Skip { tick })?,
        }
    }
    job.journal.write(Event::Finished)?;
    // Stays until the others are through too: they find the key held, as they would in a service that lives on.
    std::future::pending().await
}

/// Reads the standard input on a thread: the first line has the orders, the end of the input is the end of the parent.
fn listen() -> (oneshot::Receiver<Orders>, oneshot::Receiver<()>) {
    let (send_orders, orders) = oneshot::channel();
    let (send_closed, closed) = oneshot::channel();
    std::thread::spawn(move || {
        let mut lines = io::stdin().lock().lines().map_while(Result::ok);
        if let Some(orders) = lines.next().as_deref().and_then(parse_orders) {
            // The receivers are gone only when the instance is ending anyway.
            let _ = send_orders.send(orders);
            lines.for_each(drop);
        }
        let _ = send_closed.send(());
    });
    (orders, closed)
}

fn parse_orders(line: &str) -> Option<Orders> {
    let (start, first_tick) = line.split_once(' ')?;
    Some(Orders { start: start.parse().ok()?, first_tick: first_tick.parse().ok()? })
}

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
