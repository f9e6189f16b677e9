//! Lines that a thread reads, so that a test can look at them whenever it likes.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The lines of a pipe or socket so far.
#[derive(Debug)]
pub(crate) struct Lines {
    read: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    /// Reads `source` in a thread until it ends.
    pub(crate) fn of(source: impl Read + Send + 'static) -> Lines {
        let read = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&read);
        let thread = std::thread::spawn(move || {
            for line in BufReader::new(source).split(b'\n') {
                // An error is the end, too: the process was killed or the socket shut down.
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
                shared.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Lines { read, thread: Some(thread) }
    }

    /// All lines so far.
    pub(crate) fn all(&self) -> Vec<String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The line of this number, from 0, when it has come.
    pub(crate) fn get(&self, number: usize) -> Option<String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned()
    }

    /// Waits for the end of the source, which somebody else must bring about.
    pub(crate) fn finish(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the reading thread does not panic");
        }
    }
}
