//! The summary: the figures of a run in words, for the terminal and for the picture.

use crate::check::Report;
use crate::history::{Ending, History};

/// One sentence for each killed run: what it left, and who finished it how much later.
pub(crate) fn takeovers(history: &History) -> Vec<String> {
    let killed = history.runs.iter().filter(|run| run.ending == Ending::Killed);
    killed
        .map(|cut| {
            let next = history.runs.iter().find(|run| run.takes_over_from.as_ref() == Some(&cut.instance));
            let (name, tick, mails) = (&cut.instance, cut.tick, count(cut.mails, "mail"));
            match next {
                Some(next) => format!(
                    "{name} was killed in tick {tick} after {mails}; the next call after that, by {}, came {} ms later, got the lock and sent the rest",
                    next.instance,
                    next.start.saturating_sub(cut.end) / 1_000
                ),
                None => format!("{name} was killed in tick {tick} after {mails}; nothing was left to take over"),
            }
        })
        .collect()
}

/// `1 mail`, `2 mails`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// The figures, as `(name, value)`.
pub(crate) fn figures(report: &Report) -> Vec<(&'static str, String)> {
    let mut runs = format!("{} whole", report.whole_runs);
    for (count, what) in [(report.killed_runs, "cut short by SIGKILL"), (report.failed_runs, "failed")] {
        if count > 0 {
            runs += &format!(", {count} {what}");
        }
    }
    let each: Vec<String> = report.skips.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let all: usize = report.skips.values().sum();
    let duplicates = match report.duplicates {
        0 => "0".to_owned(),
        count => format!("{count} (the outbox refused them: the second line of defense)"),
    };
    vec![
        ("ticks", report.ticks.to_string()),
        ("runs", runs),
        ("skips", format!("{all} calls that got None ({})", each.join(", "))),
        ("mails", format!("{} for {} overdue invoices", report.mails, report.expected)),
        ("duplicates", duplicates),
        ("missed", report.missed.len().to_string()),
        ("overlaps", report.overlaps.to_string()),
    ]
}

/// What went wrong or needs a word, if anything.
pub(crate) fn remarks(report: &Report, history: &History) -> Vec<String> {
    let mut remarks = Vec::new();
    if !report.missed.is_empty() {
        remarks.push(format!("customers without their mail: {}", report.missed.join(", ")));
    }
    if report.unexpected > 0 {
        remarks.push(format!("mails that nobody should have sent: {}", report.unexpected));
    }
    if report.hold_breaches > 0 {
        remarks.push(format!("runs that began within min_hold of the one before: {}", report.hold_breaches));
    }
    if report.repeats > 0 && report.hold_breaches == 0 {
        let repeats = count(report.repeats, "tick");
        remarks.push(format!(
            "{repeats} ran again: a clock was later than min_hold; the outbox showed that nothing was left to send"
        ));
    }
    if report.killed_runs == 0 {
        remarks.push("no run was killed: the signals came between two runs".to_owned());
    }
    remarks.extend(history.failures.iter().map(|failure| format!("failed: {failure}")));
    remarks
}
