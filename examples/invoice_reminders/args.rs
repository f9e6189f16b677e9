//! The command line: what the user may ask, and how the parent starts an instance.

use std::path::PathBuf;

use crate::plan::Plan;
use crate::store;

pub(crate) const HELP: &str = "\
Three processes fire the same job at every tick; #[singleton] lets one of them run it.

usage: cargo run --example invoice_reminders [-- OPTIONS]

  --url URL        where the lock lives, such as redis://127.0.0.1:6379
                   (default: local file locks in the run's directory, no server needed)
  --ticks N        how many ticks, 4 to 40 (default: 10)
  --svg PATH       where to write the timeline as a picture (default: in the run's directory)
  --without-lock   the same without the lock, to see what it prevents; ends with exit code 1
  --help           this text

exit code: 0 all well; 1 a mail was sent twice, a customer was missed, or two runs overlapped;
2 a bad argument";

const TICKS: std::ops::RangeInclusive<u32> = 4..=40;
const INSTANCE: &str = "instance";

#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Conduct(Options),
    /// Internal: this process is one of the instances.
    Instance {
        name: String,
        plan: Plan,
    },
}

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) url: Option<String>,
    pub(crate) ticks: u32,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) locked: bool,
}

/// Reads the arguments after the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut args = args.into_iter().peekable();
    if args.next_if(|arg| arg == INSTANCE).is_some() {
        return parse_instance(args.collect());
    }
    let mut options = Options { url: None, ticks: 10, svg: None, locked: true };
    while let Some(arg) = args.next() {
        let mut value = |what: &str| match args.next() {
            Some(value) if !value.starts_with("--") => Ok(value),
            _ => Err(format!("{arg} needs {what}")),
        };
        match arg.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "--without-lock" => options.locked = false,
            "--url" => options.url = Some(store::check(value("a URL, such as redis://127.0.0.1:6379")?)?),
            "--svg" => options.svg = Some(value("a path, such as timeline.svg")?.into()),
            "--ticks" => options.ticks = parse_ticks(&value("a number, such as 10")?)?,
            other => return Err(format!("unknown argument {other:?}")),
        }
    }
    Ok(Command::Conduct(options))
}

fn parse_ticks(text: &str) -> Result<u32, String> {
    let (min, max) = (TICKS.start(), TICKS.end());
    let ticks = text.parse().ok().filter(|ticks| TICKS.contains(ticks));
    ticks.ok_or_else(|| format!("--ticks takes a number from {min} to {max}, not {text:?}"))
}

/// The arguments with which the parent starts an instance.
pub(crate) fn of_instance(name: &str, plan: &Plan) -> [std::ffi::OsString; 5] {
    let lock = if plan.locked { "locked" } else { "unlocked" };
    [INSTANCE.into(), name.into(), plan.ticks.to_string().into(), lock.into(), plan.dir.clone().into()]
}

fn parse_instance(args: Vec<String>) -> Result<Command, String> {
    let [name, ticks, lock, dir] =
        args.try_into().map_err(|_| "an instance is started by its parent".to_owned())?;
    let plan = Plan { ticks: parse_ticks(&ticks)?, locked: lock == "locked", dir: dir.into() };
    Ok(Command::Instance { name, plan })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(args: &[&str]) -> String {
        parse(args.iter().map(|&arg| arg.to_owned())).expect_err("refused")
    }

    #[test]
    fn a_bad_argument_is_refused_by_name() {
        assert_eq!(refusal(&["--tick", "3"]), "unknown argument \"--tick\"");
        assert_eq!(refusal(&["--ticks"]), "--ticks needs a number, such as 10");
        assert_eq!(refusal(&["--svg", "--ticks"]), "--svg needs a path, such as timeline.svg");
        assert_eq!(refusal(&["--ticks", "3"]), "--ticks takes a number from 4 to 40, not \"3\"");
    }
}
