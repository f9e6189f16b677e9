//! The parent's end of an instance: its process, what it is told, and what it tells.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;

use crate::args;
use crate::journal::Entry;
use crate::plan::Plan;

/// What an instance told; `None`: it has ended.
pub(crate) type Message = (String, Option<Entry>);

pub(crate) struct Instance {
    child: Child,
    /// Closed by [`end`](Instance::end), and by the death of this process: either ends the instance.
    stdin: ChildStdin,
    pub(crate) is_finished: bool,
}

impl Instance {
    pub(crate) fn spawn(
        name: &str,
        plan: &Plan,
        url: &str,
        messages: mpsc::Sender<Message>,
    ) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(args::of_instance(name, plan))
            .env("DLOCK_URL", url)
            .env("DLOCK_HOLDER", name)
            .env("DLOCK_NAMESPACE", namespace(plan))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes to the instance"));
        };
        tokio::spawn(listen(name.to_owned(), stdout, messages));
        Ok(Self { child, stdin, is_finished: false })
    }

    /// Tells the moment of the first tick of all, and the tick to begin with.
    pub(crate) async fn order(&mut self, start: u64, first_tick: u32) -> io::Result<()> {
        self.stdin.write_all(format!("{start} {first_tick}\n").as_bytes()).await
    }

    /// SIGKILL: no destructor runs, nothing is released by the instance itself.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.child.start_kill()
    }

    /// Closes its input and waits for its end.
    pub(crate) async fn end(self) -> io::Result<()> {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        child.wait().await.map(drop)
    }
}

/// The run's own, so that two runs over one server do not exclude each other; the user's, if there is one.
fn namespace(plan: &Plan) -> OsString {
    let own = || plan.dir.file_name().map(OsStr::to_owned);
    std::env::var_os("DLOCK_NAMESPACE").or_else(own).unwrap_or_default()
}

async fn listen(name: String, stdout: ChildStdout, messages: mpsc::Sender<Message>) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        // A line that was cut by the kill is no news.
        let Some(entry) = Entry::parse(&line) else {
            continue;
        };
        if messages.send((name.clone(), Some(entry))).await.is_err() {
            return;
        }
    }
    // Nobody listens any more when the run is over.
    let _ = messages.send((name, None)).await;
}
