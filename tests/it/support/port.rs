//! Ports that nobody uses.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Mutex, PoisonError};

/// The first port that is handed out.
///
/// All of them are below 32768, where Linux takes the ports of outgoing connections from: a client that waits
/// for such a port can connect to itself. None of them is the usual port of a server, and each plus 10000 is a
/// port, too.
const FIRST: u16 = 14_000;

/// The first port that is no longer handed out, below 26379 (a sentinel's usual port).
const END: u16 = 26_000;

/// How many ports a process claims at once.
const BLOCK: u16 = 100;

/// What this process has claimed. As long as it lives it listens on the first port of each of its blocks, so that
/// no other test process hands out a port of them: a port whose server was killed stays free for its restart.
struct Claims {
    guards: Vec<TcpListener>,
    next: u16,
    end: u16,
}

static CLAIMS: Mutex<Claims> = Mutex::new(Claims { guards: Vec::new(), next: 0, end: 0 });

/// Binds a listener to a port that nobody uses and that this process has not handed out before.
pub(crate) fn listen() -> TcpListener {
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        while claims.next < claims.end {
            claims.next += 1;
            if let Ok(listener) = bind(claims.next - 1) {
                return listener;
            }
        }
        claims.claim();
    }
}

/// A port that nobody used a moment ago. A foreign process may take it first: whoever binds it must look.
pub(crate) fn free() -> u16 {
    listen().local_addr().expect("a listener has an address").port()
}

impl Claims {
    fn claim(&mut self) {
        let mut starts = (FIRST..END).step_by(usize::from(BLOCK)).filter(|start| *start >= self.end);
        let (start, guard) = starts
            .find_map(|start| Some((start, bind(start).ok()?)))
            .unwrap_or_else(|| panic!("all ports from {FIRST} to {END} were handed out"));
        self.guards.push(guard);
        (self.next, self.end) = (start + 1, start + BLOCK);
    }
}

fn bind(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}
