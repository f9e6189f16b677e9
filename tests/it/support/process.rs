//! A child process that can be stopped, continued and killed, and that does not outlive its test.

use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// A process that this test started. It is killed on drop, also when it is stopped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// It was waited for, so its id may be somebody else's by now.
    gone: bool,
}

impl Process {
    /// Starts `command`.
    ///
    /// # Errors
    /// What the system says, for example that there is no such program.
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<Process> {
        let child = command.spawn()?;
        Ok(Process { child, gone: false })
    }

    /// The child, for its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().expect("a child can be waited for");
        self.gone = status.is_some();
        status
    }

    /// SIGSTOP. On return it has stopped: not one more instruction of it runs before [`Process::cont`].
    pub(crate) fn stop(&self) {
        self.signal(Signal::STOP);
        // A signal is on its way when kill(2) returns; the wait is for its arrival.
        waitid(WaitId::Pid(self.id()), WaitIdOptions::STOPPED)
            .unwrap_or_else(|error| panic!("process {} did not stop: {error}", self.pid()));
    }

    /// SIGCONT.
    pub(crate) fn cont(&self) {
        self.signal(Signal::CONT);
    }

    /// SIGKILL. On return it is gone, and so are its sockets.
    pub(crate) fn kill(&mut self) -> ExitStatus {
        // To a child that was waited for, `kill` sends nothing.
        self.child.kill().expect("a child can be killed");
        self.gone = true;
        self.child.wait().expect("a child can be waited for")
    }

    fn signal(&self, signal: Signal) {
        assert!(!self.gone, "process {} has ended and gets no {signal:?}", self.pid());
        kill_process(self.id(), signal)
            .unwrap_or_else(|error| panic!("process {} got no {signal:?}: {error}", self.pid()));
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SIGKILL ends a stopped process as well; the wait leaves no zombie.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
