//! What runs inside the proxy: two threads for each connection, one for each direction.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Mode, Shared, State};

/// Forwards whoever connects, until the proxy is closed.
pub(super) fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.lock().closed {
            return;
        }
        // A client that vanished, or a server that is not there: the connection closes.
        if let Ok(client) = client {
            let _ = connect(client, shared);
        }
    }
}

fn connect(client: TcpStream, shared: &Arc<Shared>) -> std::io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, shared.upstream))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (client, server) = (Arc::new(client), Arc::new(server));
    let mut state = shared.lock();
    if state.closed {
        return Ok(());
    }
    state.sockets.retain(|socket| socket.strong_count() > 0);
    state.sockets.extend([Arc::downgrade(&client), Arc::downgrade(&server)]);
    let epoch = state.epoch;
    drop(state);
    let pipe = |from: &Arc<TcpStream>, to: &Arc<TcpStream>| Pipe {
        from: Arc::clone(from),
        to: Arc::clone(to),
        shared: Arc::clone(shared),
        epoch,
    };
    let (requests, answers) = (pipe(&client, &server), pipe(&server, &client));
    std::thread::spawn(move || requests.run(Pipe::request));
    std::thread::spawn(move || answers.run(Pipe::answer));
    Ok(())
}

/// One direction of one connection.
struct Pipe {
    from: Arc<TcpStream>,
    to: Arc<TcpStream>,
    shared: Arc<Shared>,
    epoch: u64,
}

/// What becomes of a chunk.
enum Fate {
    Forward,
    Reply(Vec<u8>),
    Drop,
    Close,
}

impl Pipe {
    fn run(self, judge: fn(&Pipe, &[u8]) -> Fate) {
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = (&*self.from).read(&mut chunk) {
            let chunk = &chunk[..length];
            let done = match judge(&self, chunk) {
                Fate::Forward => (&*self.to).write_all(chunk),
                Fate::Reply(answer) => (&*self.from).write_all(&answer),
                Fate::Drop => Ok(()),
                Fate::Close => break,
            };
            if done.is_err() {
                break;
            }
        }
        // The news that one side has closed does not get through a blackhole either.
        drop(self.passable());
        let _ = self.from.shutdown(Shutdown::Both);
        let _ = self.to.shutdown(Shutdown::Both);
    }

    fn request(&self, chunk: &[u8]) -> Fate {
        let Some(state) = self.passable() else {
            return Fate::Close;
        };
        let rewrite = state.rewrite.clone();
        drop(state);
        match rewrite.and_then(|answer| answer(chunk)) {
            Some(answer) => Fate::Reply(answer),
            None => Fate::Forward,
        }
    }

    fn answer(&self, _chunk: &[u8]) -> Fate {
        let Some(mut state) = self.passable() else {
            return Fate::Close;
        };
        match state.mode {
            Mode::Pass | Mode::Blackhole => Fate::Forward,
            Mode::DelayReplies(delay) => self.delayed(state, Instant::now() + delay),
            Mode::Cut(answers) => {
                state.mode = if answers > 1 { Mode::Cut(answers - 1) } else { Mode::Pass };
                Fate::Close
            }
            Mode::SwallowReplies(chunks) => {
                state.mode = if chunks > 1 { Mode::SwallowReplies(chunks - 1) } else { Mode::Pass };
                Fate::Drop
            }
        }
    }

    /// Waits out a blackhole; `None` when the connection was closed.
    fn passable(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.shared.lock();
        let waiting = |state: &mut State| state.epoch == self.epoch && state.mode == Mode::Blackhole;
        let state = self.shared.changed.wait_while(state, waiting).unwrap_or_else(PoisonError::into_inner);
        (state.epoch == self.epoch).then_some(state)
    }

    /// Waits until `due`, whatever the mode becomes meanwhile, unless the connection is closed.
    fn delayed(&self, state: MutexGuard<'_, State>, due: Instant) -> Fate {
        let rest = due.saturating_duration_since(Instant::now());
        let waiting = |state: &mut State| state.epoch == self.epoch;
        let waited = self.shared.changed.wait_timeout_while(state, rest, waiting);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.epoch == self.epoch { Fate::Forward } else { Fate::Close }
    }
}
