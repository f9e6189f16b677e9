//! One instance of a service: a process of its own that calls an annotated function and can be stopped or
//! killed.

use std::fmt::Display;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use super::lines::Lines;
use super::poll;
use super::process::Process;

/// What came of one call, in the probe's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The body ran to its end; the detail is what it returned.
    Ran,
    /// The key was contended and the body did not run.
    Skipped,
    /// The lease was lost while the body ran.
    Lost,
    /// The lock could not be asked for or was refused; or the body failed by itself.
    Error,
}

/// What a probe says about one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The number of the call, from 1; the same as in the journal.
    pub(crate) call: u64,
    /// What came of it.
    pub(crate) word: Word,
    /// The value of a run, or the error with its sources.
    pub(crate) detail: String,
}

/// A probe to be started.
#[derive(Debug)]
pub(crate) struct ProbeCommand {
    command: Command,
}

impl ProbeCommand {
    /// Sets one of the probe's flags, without its dashes: `("ttl-ms", 2000)`. They are listed in the probe's
    /// `main.rs`.
    #[must_use]
    pub(crate) fn set(mut self, flag: &str, value: impl Display) -> ProbeCommand {
        self.command.arg(format!("--{flag}")).arg(value.to_string());
        self
    }

    /// Sets a flag that has no value: `"fail"`, `"blocking"`.
    #[must_use]
    pub(crate) fn flag(mut self, flag: &str) -> ProbeCommand {
        self.command.arg(format!("--{flag}"));
        self
    }

    /// Lets the body write what it does into this journal.
    #[must_use]
    pub(crate) fn journal(mut self, path: &Path) -> ProbeCommand {
        self.command.arg("--journal").arg(path);
        self
    }

    /// Starts it.
    #[track_caller]
    pub(crate) fn spawn(mut self) -> Probe {
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What the machine that runs the tests is set up for is not what is tested.
        for name in ["DLOCK_URL", "DLOCK_NAMESPACE", "DLOCK_HOLDER"] {
            self.command.env_remove(name);
        }
        let mut process = Process::spawn(&mut self.command).expect("the probe starts");
        let stdout = Lines::of(process.child().stdout.take().expect("its stdout is a pipe"));
        let stderr = Lines::of(process.child().stderr.take().expect("its stderr is a pipe"));
        Probe { process, stdout, stderr }
    }
}

/// A running probe. Killed on drop, also when it is stopped.
#[derive(Debug)]
pub(crate) struct Probe {
    process: Process,
    stdout: Lines,
    stderr: Lines,
}

impl Probe {
    /// A probe that calls `job` under the key `accept:<name>`, with the defaults of its flags.
    pub(crate) fn at(url: &str, name: &str) -> ProbeCommand {
        ProbeCommand { command: Command::new(env!("CARGO_BIN_EXE_probe")) }
            .set("url", url)
            .set("key-name", name)
    }

    /// Waits for the outcome of this call, from 1.
    #[track_caller]
    pub(crate) fn outcome(&self, call: usize, within: Duration) -> Outcome {
        let number = call.checked_sub(1).expect("calls are counted from 1");
        let line = poll::find_within(within, || self.stdout.get(number))
            .unwrap_or_else(|| panic!("no outcome of call {call} in {within:?}; stderr: {}", self.stderr()));
        parse(&line).unwrap_or_else(|| panic!("not an outcome: {line:?}"))
    }

    /// The outcomes so far.
    #[track_caller]
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let outcome = |line: &String| parse(line).unwrap_or_else(|| panic!("not an outcome: {line:?}"));
        self.stdout.all().iter().map(outcome).collect()
    }

    /// What it complained about so far: panics of the probe end up here, too.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.all().join("\n")
    }

    /// Waits until it ends by itself, and for all that it had to say.
    #[track_caller]
    pub(crate) fn wait(&mut self, within: Duration) -> ExitStatus {
        let status = poll::value("the probe ends", within, || self.process.ended());
        self.stdout.finish();
        self.stderr.finish();
        status
    }

    /// Its process id, as in the journal.
    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// SIGSTOP. On return it has stopped.
    pub(crate) fn stop(&self) {
        self.process.stop();
    }

    /// SIGCONT.
    pub(crate) fn cont(&self) {
        self.process.cont();
    }

    /// SIGKILL. On return it is gone.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }
}

/// `{"call":1,"outcome":"ran","detail":".."}`, exactly as the probe prints it.
fn parse(line: &str) -> Option<Outcome> {
    let rest = line.strip_prefix(r#"{"call":"#)?.strip_suffix(r#""}"#)?;
    let (call, rest) = rest.split_once(r#","outcome":""#)?;
    let (word, detail) = rest.split_once(r#"","detail":""#)?;
    let word = match word {
        "ran" => Word::Ran,
        "skipped" => Word::Skipped,
        "lost" => Word::Lost,
        "error" => Word::Error,
        _ => return None,
    };
    // The probe escapes quotes and backslashes, and has no control characters in its lines.
    let detail = detail.replace(r#"\""#, "\"").replace(r"\\", r"\");
    Some(Outcome { call: call.parse().ok()?, word, detail })
}
