//! A network that fails on command: a TCP proxy in front of a server.

use std::fmt::{self, Debug, Formatter};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use super::port;

mod pipe;

/// What the proxy does with each chunk, that is: with what one read gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Forwards.
    Pass,
    /// Forwards nothing either way, while connections stay open and new ones are accepted. What was sent
    /// meanwhile arrives when the mode changes, as on a network that was repaired.
    Blackhole,
    /// Forwards requests, and instead of forwarding the answer closes its connection: for so many answers,
    /// then passes.
    Cut(u32),
    /// Forwards each answer this much later. Answers that come meanwhile wait in line.
    DelayReplies(Duration),
    /// Forwards requests and drops so many chunks of answers, then passes.
    SwallowReplies(u32),
}

/// Answers in the place of the server, or does not.
type Rewrite = Arc<dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync>;

struct State {
    mode: Mode,
    rewrite: Option<Rewrite>,
    /// Both ends of each connection since the last reset, as long as somebody forwards between them.
    sockets: Vec<Weak<TcpStream>>,
    /// How many times all connections were closed. A connection ends when its number is no longer this one.
    epoch: u64,
    closed: bool,
}

struct Shared {
    upstream: u16,
    state: Mutex<State>,
    changed: Condvar,
}

/// The proxy. Closes all connections and its port on drop.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Begins to forward a port of its own to the port `upstream` of this machine.
    pub(crate) fn to(upstream: u16) -> Proxy {
        let listener = port::listen();
        let port = listener.local_addr().expect("a listener has an address").port();
        let state = State { mode: Mode::Pass, rewrite: None, sockets: Vec::new(), epoch: 0, closed: false };
        let shared = Arc::new(Shared { upstream, state: Mutex::new(state), changed: Condvar::new() });
        let thread = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || pipe::accept(&listener, &shared)
        });
        Proxy { port, shared, thread: Some(thread) }
    }

    /// Where it listens, as the library wants it.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port of 127.0.0.1 on which it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Decides about every chunk that comes from now on, of old and new connections.
    pub(crate) fn set(&self, mode: Mode) {
        self.shared.lock().mode = mode;
        self.shared.changed.notify_all();
    }

    /// The mode now: a counting one becomes [`Mode::Pass`] when it has counted down.
    pub(crate) fn mode(&self) -> Mode {
        self.shared.lock().mode
    }

    /// Closes all connections now; new ones are accepted.
    pub(crate) fn reset(&self) {
        self.shared.reset();
    }

    /// Shows each chunk from a client to `answer` first: bytes go back to the client and the server sees
    /// nothing, no bytes swallow the request, `None` forwards it. [`super::resp::requests`] reads a chunk.
    pub(crate) fn rewrite(&self, answer: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) {
        self.shared.lock().rewrite = Some(Arc::new(answer));
    }

    /// Ends [`Proxy::rewrite`].
    pub(crate) fn rewrite_nothing(&self) {
        self.shared.lock().rewrite = None;
    }
}

impl Debug for Proxy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").field("port", &self.port).field("mode", &self.mode()).finish_non_exhaustive()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.reset();
        // Wakes the accepting thread, which then sees that it is over.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reset(&self) {
        let mut state = self.lock();
        state.epoch += 1;
        for socket in state.sockets.drain(..).filter_map(|socket| socket.upgrade()) {
            // The other side may have closed it already.
            let _ = socket.shutdown(Shutdown::Both);
        }
        drop(state);
        self.changed.notify_all();
    }
}
