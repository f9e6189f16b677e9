//! What a server was asked, in the order in which it came.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::lines::Lines;
use super::poll;
use super::resp::{Client, Reply};

/// One command that a server executed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    /// The server's wall clock, in seconds.
    pub(crate) at: f64,
    /// The client's address, or `lua` for a command that a script called.
    pub(crate) source: String,
    /// The command and its arguments, as they were sent.
    pub(crate) words: Vec<String>,
}

impl Command {
    /// The command's name in lower case.
    pub(crate) fn name(&self) -> String {
        self.words.first().map(|word| word.to_lowercase()).unwrap_or_default()
    }

    /// Whether a script called it, and no client.
    pub(crate) fn is_from_script(&self) -> bool {
        self.source == "lua"
    }
}

/// A `MONITOR` connection: records all commands of all clients, also those of scripts, until it is dropped.
#[derive(Debug)]
pub(crate) struct Monitor {
    port: u16,
    stream: TcpStream,
    lines: Lines,
}

impl Monitor {
    /// Begins to record; on return nothing that is sent afterwards can be missed.
    #[track_caller]
    pub(crate) fn of(port: u16) -> Monitor {
        let mut client = Client::connect(port).expect("a server to monitor");
        assert_eq!(client.cmd(&["MONITOR"]).expect("an answer"), Reply::Status("OK".to_owned()));
        let reader = client.into_reader();
        reader.get_ref().set_read_timeout(None).expect("a socket takes options");
        let stream = reader.get_ref().try_clone().expect("a socket can be shared");
        // The reader may have taken a first command along with the answer.
        Monitor { port, stream, lines: Lines::of(reader) }
    }

    /// What has been recorded so far; the server may be a moment ahead.
    pub(crate) fn so_far(&self) -> Vec<Command> {
        self.lines.all().iter().filter_map(|line| parse(line)).filter(|command| !is_marker(command)).collect()
    }

    /// What was executed before this call, all of it. The server must be able to answer.
    #[track_caller]
    pub(crate) fn all(&self) -> Vec<Command> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let marker = format!("{MARKER}{}.", NEXT.fetch_add(1, Ordering::Relaxed));
        Client::connect(self.port).and_then(|mut client| client.cmd(&["ECHO", &marker])).expect("an answer");
        let end = poll::value("the monitor catches up", Duration::from_secs(5), || {
            let lines = self.lines.all();
            lines.iter().any(|line| line.contains(&marker)).then_some(lines)
        });
        let commands = end.iter().take_while(|line| !line.contains(&marker)).filter_map(|line| parse(line));
        commands.filter(|command| !is_marker(command)).collect()
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        // The server may be gone already.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.lines.finish();
    }
}

/// What begins the text by which [`Monitor::all`] knows how far it has read.
const MARKER: &str = "dlock-monitor-mark-";

fn is_marker(command: &Command) -> bool {
    command.words.get(1).is_some_and(|word| word.starts_with(MARKER))
}

/// `1700000000.123456 [0 127.0.0.1:5000] "set" "k" "v"`
fn parse(line: &str) -> Option<Command> {
    let (at, rest) = line.strip_prefix('+').unwrap_or(line).split_once(" [")?;
    let (client, words) = rest.split_once("] ")?;
    let (_database, source) = client.split_once(' ')?;
    Some(Command { at: at.parse().ok()?, source: source.to_owned(), words: unquote(words) })
}

/// The strings of a line in which each is quoted as in C.
fn unquote(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut bytes = text.bytes();
    while bytes.by_ref().any(|byte| byte == b'"') {
        let mut word = Vec::new();
        while let Some(byte) = bytes.next().filter(|&byte| byte != b'"') {
            word.push(if byte == b'\\' { unescape(&mut bytes) } else { byte });
        }
        words.push(String::from_utf8_lossy(&word).into_owned());
    }
    words
}

fn unescape(bytes: &mut impl Iterator<Item = u8>) -> u8 {
    match bytes.next().unwrap_or(b'\\') {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 0x07,
        b'b' => 0x08,
        b'x' => hex(bytes) * 16 + hex(bytes),
        other => other,
    }
}

/// The value of a hexadecimal digit.
fn hex(bytes: &mut impl Iterator<Item = u8>) -> u8 {
    let digit = bytes.next().and_then(|digit| char::from(digit).to_digit(16));
    digit.and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0)
}
