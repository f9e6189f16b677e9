//! The main job end to end: three processes fire one job at every tick, one runs it, one is killed, one takes over.

mod args;
mod canvas;
mod check;
#[cfg(test)]
mod check_tests;
mod conductor;
mod csv;
mod frame;
mod history;
mod instance;
mod job;
mod journal;
mod narrator;
mod plan;
mod printout;
mod process;
mod store;
mod summary;
mod svg;
mod timeline;

use std::io;
use std::process::ExitCode;

use crate::args::{Command, HELP, Options};
use crate::check::Report;
use crate::history::History;
use crate::plan::Plan;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match args::parse(std::env::args().skip(1)) {
        Ok(Command::Help) => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::Conduct(options)) => conduct(options).await,
        Ok(Command::Instance { name, plan }) => instance::run(&name, &plan).await.map(|()| ExitCode::SUCCESS),
        Err(mistake) => {
            eprintln!("error: {mistake}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    done.unwrap_or_else(|error| {
        report_error(&error);
        ExitCode::FAILURE
    })
}

/// An error with its causes, a line each.
fn report_error(error: &dyn std::error::Error) {
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  caused by: {error}");
        cause = error.source();
    }
}

/// The parent: starts everything, then judges by what the instances left behind.
async fn conduct(options: Options) -> io::Result<ExitCode> {
    let plan = Plan { ticks: options.ticks, locked: options.locked, dir: plan::make_run_dir()? };
    std::fs::create_dir(plan.outbox())?;
    let url = options.url.unwrap_or_else(|| store::local_url(&plan));
    store::probe(&url).await?;
    let invoices = csv::read_invoices()?;
    let all = invoices.len();
    let reminders = csv::deal(invoices, plan.ticks);
    let shown_url = store::without_password(&url);
    printout::introduce(&plan, &shown_url, all, &reminders);

    let in_a_tick = reminders.len() / plan.ticks as usize;
    let begin = conductor::conduct(&plan, &url, (in_a_tick / 3).max(1)).await?;

    let history = History::of(&journal::read(&plan.journal())?, begin);
    let report = Report::of(&history, &reminders, &check::sent_mails(&plan.outbox())?, plan.ticks);
    printout::conclude(&plan, &history, &report);
    let path = options.svg.unwrap_or_else(|| plan.dir.join("timeline.svg"));
    let picture = printout::draw(&plan, &history, &report, &shown_url);
    std::fs::write(&path, picture).map_err(|error| plan::about(error, &path))?;
    println!("\npicture  {}\noutbox   {}", path.display(), plan.outbox().display());
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
