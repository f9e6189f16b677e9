//! What the user reads: the introduction, the conclusion, and the words of the picture.

use crate::check::Report;
use crate::csv::Reminder;
use crate::history::History;
use crate::plan::{LATE, MIN_HOLD, Plan, TICK, TODAY, TTL};
use crate::{summary, svg, timeline};

/// Says what is about to happen.
pub(crate) fn introduce(plan: &Plan, url: &str, all: usize, reminders: &[Reminder]) {
    let (overdue, ticks) = (reminders.len(), plan.ticks);
    println!(
        "{overdue} of {all} invoices are overdue on {TODAY}; {ticks} ticks, {TICK:?} apart, mail their customers."
    );
    println!("Three processes (A, B, C) fire the job at every tick. The lock is at {url}");
    if plan.locked {
        println!("  {}: one of them runs it, the others get None.", attribute());
        println!(
            "  C's clock is {LATE:?} late, after the job is done: min_hold keeps it from running the tick again."
        );
    } else {
        println!("  WITHOUT THE LOCK, as you asked: watch the duplicates.");
    }
    println!(
        "  Each mail is a file made with create-new: a second line of defense, which no lock replaces.\n"
    );
}

/// The attribute of the job, as it stands in the source.
fn attribute() -> String {
    format!("#[singleton(key = \"jobs:invoice-reminders\", ttl = \"{TTL:?}\", min_hold = \"{MIN_HOLD:?}\")]")
}

/// Prints the timeline, the takeover and the figures.
pub(crate) fn conclude(plan: &Plan, history: &History, report: &Report) {
    println!();
    timeline::Timeline::new(history, plan.ticks).print();
    println!();
    for line in summary::takeovers(history) {
        println!("{line}.");
    }
    println!();
    for (name, value) in summary::figures(report) {
        println!("  {name:<11} {value}");
    }
    for remark in summary::remarks(report, history) {
        println!("  {remark}");
    }
    println!("\n{}", verdict(report));
}

fn verdict(report: &Report) -> &'static str {
    if report.is_good() {
        "OK: every customer was mailed exactly once, and never two runs at a time."
    } else {
        "FAILED: see the figures above."
    }
}

/// The timeline as SVG.
pub(crate) fn draw(plan: &Plan, history: &History, report: &Report, url: &str) -> String {
    let (heading, about) = if plan.locked {
        ("One job, several processes, one run at a time", format!("{}, over {url}", attribute()))
    } else {
        ("One job, several processes, no lock", "what #[singleton] prevents".to_owned())
    };
    let figures = summary::figures(report).into_iter().map(|(name, value)| format!("{name}: {value}"));
    let mut text = summary::takeovers(history);
    text.extend(figures.collect::<Vec<_>>().chunks(4).map(|some| some.join("   ·   ")));
    svg::draw(history, plan.ticks, &svg::Words { heading, about, text })
}
