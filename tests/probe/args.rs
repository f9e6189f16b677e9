//! The probe's flags.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What the probe is told to do.
#[derive(Debug)]
pub(crate) struct Args {
    /// `--url URL`: the backend.
    pub(crate) url: String,
    /// `--key-name NAME`: the key is `accept:NAME`.
    pub(crate) key_name: String,
    /// `--ttl-ms N`. Defaults to 2000.
    pub(crate) ttl: Duration,
    /// `--min-hold-ms N`. Defaults to none.
    pub(crate) min_hold: Option<Duration>,
    /// `--steps N`: how often the body sleeps. Defaults to 1.
    pub(crate) steps: u32,
    /// `--step-ms N`: for how long. Defaults to 100.
    pub(crate) step: Duration,
    /// `--calls N`: how many calls, one after the other. Defaults to 1.
    pub(crate) calls: u64,
    /// `--gap-ms N`: between two calls. Defaults to 0.
    pub(crate) gap: Duration,
    /// `--every-ms N` with `--from-ns M`: call n is made at M + n * N ms by the clock of the journal.
    pub(crate) every: Option<Duration>,
    /// See `--every-ms`.
    pub(crate) from: Duration,
    /// `--linger-ms N`: how long the process lives on after the last call. Defaults to 0.
    pub(crate) linger: Duration,
    /// `--journal PATH`. Defaults to none.
    pub(crate) journal: Option<PathBuf>,
    /// `--runtime current|multi`: of one thread, the default, or of four.
    pub(crate) threads: Option<usize>,
    /// `--blocking`: the body sleeps without yielding its thread.
    pub(crate) blocking: bool,
    /// `--fail`: the body returns an error after its last step.
    pub(crate) fail: bool,
    /// `--fence`: the body asks for its fencing token before its first step.
    pub(crate) fence: bool,
    /// `--ledger`: the journal has the begin and the outcome of each call, too.
    pub(crate) ledger: bool,
    /// `--random SEED`: `--steps` and `--gap-ms` are only the most; most bodies are short.
    pub(crate) random: Option<u64>,
    /// `--while PATH`: no further call once this file is gone.
    pub(crate) while_there: Option<PathBuf>,
}

impl Args {
    /// Reads the flags; says which one it does not understand.
    pub(crate) fn read(mut words: impl Iterator<Item = OsString>) -> Result<Args, String> {
        let mut args = Args::default();
        while let Some(flag) = words.next() {
            let flag = flag.into_string().map_err(|flag| format!("not a flag: {flag:?}"))?;
            match flag.as_str() {
                "--blocking" => args.blocking = true,
                "--fail" => args.fail = true,
                "--fence" => args.fence = true,
                "--ledger" => args.ledger = true,
                "--while" => args.while_there = Some(words.next().ok_or("--while wants a path")?.into()),
                "--journal" => args.journal = Some(words.next().ok_or("--journal wants a path")?.into()),
                _ => {
                    let value = words.next().and_then(|value| value.into_string().ok());
                    args.set(&flag, value.ok_or_else(|| format!("{flag} wants a value"))?)?;
                }
            }
        }
        match args.url.is_empty() || args.key_name.is_empty() {
            true => Err("--url and --key-name are required".to_owned()),
            false => Ok(args),
        }
    }

    fn set(&mut self, flag: &str, value: String) -> Result<(), String> {
        let number = || value.parse::<u32>().map_err(|_| format!("{flag} wants a number, not {value:?}"));
        let millis = || number().map(|ms| Duration::from_millis(u64::from(ms)));
        match flag {
            "--ttl-ms" => self.ttl = millis()?,
            "--min-hold-ms" => self.min_hold = Some(millis()?),
            "--steps" => self.steps = number()?,
            "--step-ms" => self.step = millis()?,
            "--calls" => self.calls = number()?.into(),
            "--gap-ms" => self.gap = millis()?,
            "--every-ms" => self.every = Some(millis()?),
            "--from-ns" => {
                let ns = value.parse().map_err(|_| format!("{flag} wants a number, not {value:?}"))?;
                self.from = Duration::from_nanos(ns);
            }
            "--random" => self.random = Some(number()?.into()),
            "--linger-ms" => self.linger = millis()?,
            "--runtime" if value == "current" => self.threads = None,
            "--runtime" if value == "multi" => self.threads = Some(4),
            "--runtime" => return Err(format!("--runtime is current or multi, not {value:?}")),
            "--url" => self.url = value,
            "--key-name" => self.key_name = value,
            _ => return Err(format!("there is no flag {flag}")),
        }
        Ok(())
    }
}

impl Default for Args {
    fn default() -> Args {
        Args {
            url: String::new(),
            key_name: String::new(),
            ttl: Duration::from_millis(2000),
            min_hold: None,
            steps: 1,
            step: Duration::from_millis(100),
            calls: 1,
            gap: Duration::ZERO,
            every: None,
            from: Duration::ZERO,
            linger: Duration::ZERO,
            journal: None,
            threads: None,
            blocking: false,
            fail: false,
            fence: false,
            ledger: false,
            random: None,
            while_there: None,
        }
    }
}
