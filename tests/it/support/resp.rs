//! A Redis client of a few lines, for looking at a server from outside: blocking, one request at a time, no
//! retries.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long a connection and an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a server answered. Text that is no UTF-8 is shown with replacement characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// `+OK` and its like.
    Status(String),
    /// `-ERR ..`, with the code word.
    Error(String),
    /// `:1`.
    Int(i64),
    /// A string of bytes.
    Bulk(String),
    /// There is none.
    Nil,
    /// Several answers in one.
    Array(Vec<Reply>),
}

impl Reply {
    /// Its text, if it has one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Reply::Status(text) | Reply::Error(text) | Reply::Bulk(text) => Some(text),
            Reply::Int(_) | Reply::Nil | Reply::Array(_) => None,
        }
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    /// Connects to a port of this machine.
    ///
    /// # Errors
    /// Nobody listens.
    pub(crate) fn connect(port: u16) -> Result<Client> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Client { stream: BufReader::new(stream) })
    }

    /// Waits so long for each answer, instead of two seconds.
    ///
    /// # Errors
    /// The system refuses; zero is no duration to wait for.
    pub(crate) fn with_patience(self, patience: Duration) -> Result<Client> {
        self.stream.get_ref().set_read_timeout(Some(patience))?;
        Ok(self)
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The connection broke, or no answer came in time: then it is out of step, unless the answer never comes.
    pub(crate) fn cmd(&mut self, words: &[&str]) -> Result<Reply> {
        self.stream.get_mut().write_all(&encode(words))?;
        read_reply(&mut self.stream)
    }

    /// What else the server says, for a connection that only listens from now on.
    pub(crate) fn into_reader(self) -> BufReader<TcpStream> {
        self.stream
    }
}

/// A request as it goes over the wire.
pub(crate) fn encode(words: &[&str]) -> Vec<u8> {
    let mut request = format!("*{}\r\n", words.len());
    for word in words {
        request.push_str(&format!("${}\r\n{word}\r\n", word.len()));
    }
    request.into_bytes()
}

/// The complete requests in a chunk from a client, each as its words.
pub(crate) fn requests(chunk: &[u8]) -> Vec<Vec<String>> {
    let mut rest = chunk;
    let mut requests = Vec::new();
    // A request looks like an answer that is an array of strings.
    while let Ok(Reply::Array(words)) = read_reply(&mut rest) {
        requests.push(words.iter().filter_map(Reply::text).map(str::to_owned).collect());
    }
    requests
}

fn read_reply(source: &mut impl BufRead) -> Result<Reply> {
    let mut line = String::new();
    source.read_line(&mut line)?;
    let line = line.strip_suffix("\r\n").ok_or_else(|| Error::from(ErrorKind::UnexpectedEof))?;
    let (kind, rest) = line.split_at_checked(1).ok_or_else(|| malformed(line))?;
    let number = || rest.parse::<i64>().map_err(|_| malformed(line));
    Ok(match kind {
        "+" => Reply::Status(rest.to_owned()),
        "-" => Reply::Error(rest.to_owned()),
        ":" => Reply::Int(number()?),
        "$" => match usize::try_from(number()?) {
            Ok(length) => Reply::Bulk(read_bulk(source, length)?),
            Err(_) => Reply::Nil,
        },
        "*" => match usize::try_from(number()?) {
            Ok(length) => Reply::Array((0..length).map(|_| read_reply(source)).collect::<Result<_>>()?),
            Err(_) => Reply::Nil,
        },
        _ => return Err(malformed(line)),
    })
}

fn read_bulk(source: &mut impl Read, length: usize) -> Result<String> {
    let mut bytes = vec![0; length + 2];
    source.read_exact(&mut bytes)?;
    bytes.truncate(length);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn malformed(line: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("not an answer of Redis: {line:?}"))
}
