//! Looking at a server from outside.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::monitor::Monitor;
use super::super::resp::{Client, Reply};
use super::RedisServer;

impl RedisServer {
    /// Asks over a connection of its own, so that it works after each restart. Panics when no answer comes.
    #[track_caller]
    pub(crate) fn cmd(&self, words: &[&str]) -> Reply {
        Client::connect(self.port)
            .and_then(|mut client| client.cmd(words))
            .unwrap_or_else(|error| panic!("{words:?} to the server at port {}: {error}", self.port))
    }

    /// The value of a string key.
    #[track_caller]
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.cmd(&["GET", key]).text().map(str::to_owned)
    }

    /// What a key has left to live; `None` when there is no such key or it lives for ever.
    #[track_caller]
    pub(crate) fn pttl(&self, key: &str) -> Option<Duration> {
        match self.cmd(&["PTTL", key]) {
            Reply::Int(ms) => u64::try_from(ms).ok().map(Duration::from_millis),
            other => panic!("PTTL {key}: {other:?}"),
        }
    }

    /// All keys, sorted.
    #[track_caller]
    pub(crate) fn keys(&self) -> Vec<String> {
        let Reply::Array(keys) = self.cmd(&["KEYS", "*"]) else { panic!("KEYS gives an array") };
        let mut keys: Vec<String> = keys.iter().filter_map(Reply::text).map(str::to_owned).collect();
        keys.sort();
        keys
    }

    /// How often each command was called since the start or [`RedisServer::config_resetstat`], by its
    /// lower-case name.
    ///
    /// What a script calls is counted next to the `eval` or `evalsha` itself: a [`Monitor`] tells the two
    /// apart. The two commands of this observation, `info` and `config|resetstat`, are left out; other looks
    /// at the server count.
    #[track_caller]
    pub(crate) fn commandstats(&self) -> BTreeMap<String, u64> {
        let info = self.cmd(&["INFO", "commandstats"]);
        let text = info.text().expect("INFO gives a text");
        text.lines()
            .filter_map(|line| line.strip_prefix("cmdstat_")?.split_once(":calls="))
            .filter(|(name, _)| !matches!(*name, "info" | "config|resetstat"))
            .filter_map(|(name, rest)| {
                let calls = rest.split(',').next()?.parse().ok()?;
                Some((name.to_owned(), calls))
            })
            .collect()
    }

    /// Begins [`RedisServer::commandstats`] anew.
    #[track_caller]
    pub(crate) fn config_resetstat(&self) {
        assert_eq!(self.cmd(&["CONFIG", "RESETSTAT"]), Reply::Status("OK".to_owned()));
    }

    /// Records every command that arrives from now on.
    #[track_caller]
    pub(crate) fn monitor(&self) -> Monitor {
        Monitor::of(self.port)
    }
}
