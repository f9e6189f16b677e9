//! A Redis server of the test's own, which it may stop, kill and start again.

use std::fs::File;
use std::io::ErrorKind;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::process::Process;
use super::resp::{Client, Reply};
use super::temp::TempDir;
use super::{poll, port};

mod observe;

/// How long a server may take to answer its first PING; on a quiet machine it takes 15 ms.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// A running `redis-server` on a port of its own. Ends with the test, also when it is stopped.
#[derive(Debug)]
pub(crate) struct RedisServer {
    process: Process,
    port: u16,
    args: Vec<String>,
    dir: TempDir,
}

impl RedisServer {
    /// Starts a server that keeps nothing on disk and waits until it answers.
    pub(crate) fn start() -> RedisServer {
        RedisServer::start_with(&[])
    }

    /// The same with further arguments, which win over the usual ones: `["--appendonly", "yes"]`.
    pub(crate) fn start_with(args: &[&str]) -> RedisServer {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let dir = TempDir::new();
        loop {
            let port = port::free();
            // None: somebody else took the port between the look and the start.
            if let Some(process) = launch(port, &args, &dir) {
                return RedisServer { process, port, args, dir };
            }
        }
    }

    /// Where it listens, as the library wants it.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port of 127.0.0.1 on which it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// SIGSTOP: connections stay open and new ones are accepted by the kernel, but nothing is answered.
    pub(crate) fn stop(&self) {
        self.process.stop();
    }

    /// SIGCONT: what was sent meanwhile is executed now.
    pub(crate) fn cont(&self) {
        self.process.cont();
    }

    /// SIGKILL: from now on the port refuses connections.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again on the same port and over the same folder, after killing it if it still runs.
    ///
    /// Without `--appendonly yes` or a snapshot it comes back empty.
    pub(crate) fn restart(&mut self) {
        self.process.kill();
        self.process = launch(self.port, &self.args, &self.dir)
            .unwrap_or_else(|| panic!("somebody else took port {} during the restart", self.port));
    }

    /// [`RedisServer::restart`], and whatever it had on disk is gone.
    pub(crate) fn restart_empty(&mut self) {
        self.process.kill();
        self.dir = TempDir::new();
        self.restart();
    }
}

/// Starts a server and waits for its answer; `None` when the port was somebody else's.
fn launch(port: u16, args: &[String], dir: &TempDir) -> Option<Process> {
    let log_path = dir.path().join("redis.log");
    let log = File::create(&log_path).expect("a log can be made in the test's own folder");
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    command.arg("--dir").arg(dir.path()).args(args);
    command.stdin(Stdio::null()).stdout(log).stderr(Stdio::null());
    let mut process = Process::spawn(&mut command).unwrap_or_else(|error| match error.kind() {
        ErrorKind::NotFound => panic!("these tests need redis-server: apt-get install redis-server"),
        _ => panic!("cannot start redis-server: {error}"),
    });
    let pid = process.pid();
    poll::value("redis-server answers", READY_WITHIN, || {
        if process.ended().is_some() {
            let log = std::fs::read_to_string(&log_path).unwrap_or_default();
            assert!(log.contains("already in use"), "redis-server ended at once:\n{log}");
            return Some(false);
        }
        is_ready(port, pid).then_some(true)
    })
    .then_some(process)
}

/// Whether the process `pid`, and not another server that took the port, answers there.
fn is_ready(port: u16, pid: u32) -> bool {
    let Ok(mut client) = Client::connect(port) else {
        return false;
    };
    let pong = client.cmd(&["PING"]).is_ok_and(|reply| reply == Reply::Status("PONG".to_owned()));
    let info = client.cmd(&["INFO", "server"]);
    pong && info
        .is_ok_and(|info| info.text().is_some_and(|text| text.contains(&format!("process_id:{pid}\r\n"))))
}
