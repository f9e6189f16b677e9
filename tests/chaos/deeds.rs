//! Deeds: what the nemesis did, and when, by the clock of the journal.

/// One kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// SIGSTOP to an instance, SIGCONT later.
    StopProcess,
    /// SIGKILL to an instance, which is replaced.
    KillProcess,
    /// SIGSTOP to the server, SIGCONT later.
    StopServer,
    /// SIGKILL to the server, which comes back with its data.
    RestartServer,
    /// SIGKILL to the server, which comes back empty.
    WipeServer,
    /// FLUSHALL.
    FlushAll,
    /// Connections are closed in the place of answers.
    Cut,
    /// Answers are late.
    Delay,
    /// Nothing gets through, either way.
    Blackhole,
    /// Requests get through, answers are swallowed.
    HalfOpen,
    /// All connections are closed.
    Reset,
}

impl Fault {
    /// All kinds.
    pub(crate) const ALL: [Fault; 11] = [
        Fault::StopProcess,
        Fault::KillProcess,
        Fault::StopServer,
        Fault::RestartServer,
        Fault::WipeServer,
        Fault::FlushAll,
        Fault::Cut,
        Fault::Delay,
        Fault::Blackhole,
        Fault::HalfOpen,
        Fault::Reset,
    ];

    /// Whether the server's data is lost.
    pub(crate) fn loses_data(self) -> bool {
        matches!(self, Fault::WipeServer | Fault::FlushAll)
    }

    /// Whether it is done to the server itself.
    pub(crate) fn is_the_servers(self) -> bool {
        matches!(self, Fault::StopServer | Fault::RestartServer) || self.loses_data()
    }

    /// Whether it is done to the connections that go through the proxy.
    pub(crate) fn is_the_networks(self) -> bool {
        !self.is_the_servers() && !matches!(self, Fault::StopProcess | Fault::KillProcess)
    }
}

/// One fault as it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    /// What.
    pub(crate) fault: Fault,
    /// The instance that it was done to.
    pub(crate) pid: Option<u32>,
    /// Before this it had no effect.
    pub(crate) begun: u64,
    /// From here on its effect was complete: stopped, killed, wiped.
    pub(crate) done: u64,
    /// The repair was begun; before it nothing was repaired.
    pub(crate) until: u64,
}
