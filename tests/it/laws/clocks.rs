//! Wall clocks are set, of a holder's machine and of the server's; every other clock goes on.
//!
//! A process sees its wall clock through a few functions of libc. Here a library is put in front of them that adds what
//! a file says, in seconds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::lines::Lines;
use crate::support::poll;
use crate::support::port;
use crate::support::probe::{Probe, Word};
use crate::support::process::Process;
use crate::support::redis::RedisServer;
use crate::support::resp::{Client, Reply};
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);
const HOUR: i64 = 3600;

/// The library. It declares what it needs, so that no headers have to be installed; a machine that links Rust programs
/// has a C compiler.
const WALL_CLOCK: &str = r#"
struct span { long seconds, fraction; };
extern void *dlsym(void *, const char *);
extern char *getenv(const char *);
extern int open(const char *, int, ...);
extern long read(int, void *, unsigned long);
extern int close(int);
extern long atol(const char *);

static long step(void) {
    char text[32] = {0};
    char *path = getenv("WALL_CLOCK_STEP");
    int file = path ? open(path, 0) : -1;
    if (file < 0) return 0;
    long length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 ? atol(text) : 0;
}

int clock_gettime(int clock, struct span *now) {
    static int (*real)(int, struct span *);
    if (!real) real = (int (*)(int, struct span *))dlsym((void *)-1, "clock_gettime");
    int result = real(clock, now);
    if (result == 0 && (clock == 0 || clock == 5)) now->seconds += step();
    return result;
}

int gettimeofday(struct span *now, void *zone) {
    static int (*real)(struct span *, void *);
    if (!real) real = (int (*)(struct span *, void *))dlsym((void *)-1, "gettimeofday");
    int result = real(now, zone);
    if (result == 0) now->seconds += step();
    return result;
}
"#;

/// A wall clock that can be set, and who looks at it.
struct WallClock {
    dir: TempDir,
}

impl WallClock {
    fn new() -> WallClock {
        let clock = WallClock { dir: TempDir::new() };
        let source = clock.dir.path().join("clock.c");
        std::fs::write(&source, WALL_CLOCK).expect("a file of the test's own");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-fno-builtin", "-w", "-o"]).arg(clock.library()).arg(&source);
        let built = compiler.arg("-ldl").output().expect("a C compiler, as Rust needs one to link");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        clock.step(0);
        clock
    }

    fn library(&self) -> PathBuf {
        self.dir.path().join("libclock.so")
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// From now on it shows the true time and this many seconds more. The file is replaced, never half written.
    fn step(&self, seconds: i64) {
        let (new, step) = (self.path().join("new"), self.path().join("step"));
        std::fs::write(&new, seconds.to_string()).expect("a file of the test's own");
        std::fs::rename(&new, &step).expect("a file of the test's own");
    }

    /// Lets a program see this clock.
    fn over(&self, command: &mut Command) {
        command.env("LD_PRELOAD", self.library()).env("WALL_CLOCK_STEP", self.path().join("step"));
    }
}

/// What a child of this very program says about its wall clock; otherwise a test that has nothing to say.
#[test]
fn the_wall_clock_of_a_child() {
    if std::env::var_os("WALL_CLOCK_STEP").is_some() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        println!("\nwall clock {}", now.as_secs());
    }
}

/// How far a Rust program under this clock is ahead of this one.
fn ahead(clock: &WallClock) -> i64 {
    let mut child = Command::new(std::env::current_exe().expect("a program"));
    child.args(["--exact", "laws::clocks::the_wall_clock_of_a_child", "--nocapture"]);
    clock.over(&mut child);
    let said = child.output().expect("it starts").stdout;
    let said = String::from_utf8_lossy(&said).into_owned();
    let there = said.lines().find_map(|line| line.strip_prefix("wall clock ")).expect("it says what it sees");
    let here = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    there.parse::<i64>().expect("a number") - i64::try_from(here.as_secs()).expect("small")
}

#[test]
fn a_holder_whose_wall_clock_is_set_forward_and_back_keeps_its_lease_and_excludes_others() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        let clock = WallClock::new();
        let mut holder = Command::new(env!("CARGO_BIN_EXE_probe"));
        holder.args(["--url", &store.url(), "--key-name", "clock", "--ttl-ms", "1000"]);
        holder.args(["--steps", "160", "--step-ms", "25"]);
        holder.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        clock.over(&mut holder);
        let mut holder = Process::spawn(&mut holder).expect("the probe starts");
        let said = Lines::of(holder.child().stdout.take().expect("a pipe"));
        // A rival whose clock is right.
        let rival = Probe::at(&store.url(), "clock").set("ttl-ms", 1000).set("step-ms", 1);
        std::thread::sleep(Duration::from_millis(500));
        let rival = rival.set("calls", 100).set("gap-ms", 30).spawn();
        for step in [HOUR, -2 * HOUR, 24 * HOUR, 0] {
            clock.step(step);
            assert!((ahead(&clock) - step).abs() <= 5, "the clock is not set: {}", ahead(&clock));
            std::thread::sleep(Duration::from_millis(400));
        }
        let line = poll::value("the holder's outcome", SOON, || said.get(0));
        assert!(line.contains(r#""outcome":"ran""#), "{}: {line}", store.name());
        let skipped = rival.outcomes().iter().filter(|outcome| outcome.word == Word::Skipped).count();
        assert!(skipped > 20, "{}: {:?}", store.name(), rival.outcomes());
        let others = rival.outcomes().into_iter().filter(|outcome| outcome.word != Word::Skipped);
        assert!(others.into_iter().all(|outcome| outcome.call > 50), "{}", store.name());
    }
}

/// A server that sees the clock.
struct SteppedServer {
    _process: Process,
    port: u16,
}

impl SteppedServer {
    fn start(clock: &WallClock) -> SteppedServer {
        let port = port::free();
        let mut server = Command::new("redis-server");
        server.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        server
            .arg("--dir")
            .arg(clock.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        clock.over(&mut server);
        let server = SteppedServer { _process: Process::spawn(&mut server).expect("redis-server"), port };
        poll::until("the server to answer", SOON, || Client::connect(port).is_ok() && server.now() > 0);
        server
    }

    fn cmd(&self, words: &[&str]) -> Reply {
        Client::connect(self.port).and_then(|mut client| client.cmd(words)).expect("an answer")
    }

    /// Its wall clock.
    fn now(&self) -> i64 {
        match self.cmd(&["TIME"]) {
            Reply::Array(parts) => {
                parts[0].text().and_then(|text| text.parse().ok()).expect("seconds since 1970")
            }
            other => panic!("TIME: {other:?}"),
        }
    }

    fn set(&self, clock: &WallClock, step: i64) {
        let before = self.now();
        clock.step(step);
        poll::until("the server to see it", SOON, || (self.now() - before).abs() > HOUR / 2);
    }

    fn pttl(&self, key: &str) -> i64 {
        match self.cmd(&["PTTL", key]) {
            Reply::Int(ms) => ms,
            other => panic!("PTTL: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_whose_wall_clock_is_set_forward_expires_the_lease_and_the_holder_is_told() {
    let clock = WallClock::new();
    let server = SteppedServer::start(&clock);
    let locks = locks(&format!("redis://127.0.0.1:{}", server.port));
    let ttl = Duration::from_secs(1);
    let lease = acquired(locks.lease("clock:forward").ttl(ttl).try_acquire().await);
    server.set(&clock, HOUR);
    let told = tokio::time::timeout(ttl, lease.lost()).await.expect("told before its own deadline");
    assert_eq!(told, Some(dlock_runtime::Lost::Taken));
    drop(acquired(locks.lease("clock:forward").ttl(ttl).try_acquire().await));
}

#[tokio::test]
async fn a_server_whose_wall_clock_is_set_back_is_put_right_by_the_next_renewal() {
    let clock = WallClock::new();
    let server = SteppedServer::start(&clock);
    let locks = locks(&format!("redis://127.0.0.1:{}", server.port));
    let ttl = Duration::from_secs(1);
    let lease = acquired(locks.lease("clock:back").ttl(ttl).try_acquire().await);
    server.set(&clock, -HOUR);
    poll::until_async("a renewal", SOON, async || server.pttl("clock:back") <= 1000).await;
    tokio::time::sleep(ttl * 2).await;
    assert!(lease.is_held());
    let left = server.pttl("clock:back");
    assert!((1..=1000).contains(&left), "{left} ms");
    assert_eq!(lease.release().await.expect("an answer"), dlock_runtime::Released::Freed);
}

#[tokio::test]
async fn fencing_tokens_grow_although_the_servers_wall_clock_is_set_back() {
    let clock = WallClock::new();
    let server = SteppedServer::start(&clock);
    let locks = locks(&format!("redis://127.0.0.1:{}", server.port));
    let mut last = None;
    for step in [0, -HOUR, -2 * HOUR] {
        if step != 0 {
            server.set(&clock, step);
        }
        let lease = acquired(locks.lease("clock:fence").ttl(SOON).try_acquire().await);
        let token = lease.fencing_token().await.expect("a number");
        assert!(last < Some(token), "{last:?} then {token}");
        last = Some(token);
        let _ = lease.release().await.expect("released");
    }
}

/// Nobody renews what a killed holder has left: the step is added to the wait for it.
#[test]
fn a_key_that_was_left_behind_outlives_a_step_back_of_the_servers_clock_by_that_step() {
    let clock = WallClock::new();
    let server = SteppedServer::start(&clock);
    let url = format!("redis://127.0.0.1:{}", server.port);
    let mut killed = Probe::at(&url, "left").set("ttl-ms", 1000).set("steps", 1000).spawn();
    poll::until("the key", SOON, || server.pttl("accept:left") > 0);
    killed.kill();
    server.set(&clock, -HOUR);
    assert!(server.pttl("accept:left") > 1000 * (HOUR - 60), "{} ms", server.pttl("accept:left"));
    let other = Probe::at(&url, "left").spawn();
    assert_eq!(other.outcome(1, SOON).word, Word::Skipped);
    server.set(&clock, 0);
    poll::until("the key to expire", SOON, || server.pttl("accept:left") < 0);
}

/// As seen by the holder: the expiry on the server changes under it.
#[tokio::test]
async fn a_renewal_puts_an_expiry_right_that_was_changed_behind_its_back() {
    let server = RedisServer::start();
    let ttl = Duration::from_secs(1);
    let lease = acquired(locks(&server.url()).lease("clock:expiry").ttl(ttl).try_acquire().await);
    assert_eq!(server.cmd(&["PERSIST", "clock:expiry"]), Reply::Int(1));
    poll::until_async("a renewal", SOON, async || server.pttl("clock:expiry").is_some()).await;
    assert!(server.pttl("clock:expiry").is_some_and(|left| left <= ttl));
    assert!(lease.is_held());
}

#[test]
fn on_linux_the_clock_is_the_one_that_counts_suspended_time() {
    let clock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dlock-runtime/src/vocabulary/clock.rs");
    let clock = std::fs::read_to_string(clock).expect("the clock's room");
    let read: Vec<&str> = clock
        .split("ClockId::")
        .skip(1)
        .map(|rest| rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default())
        .collect();
    assert_eq!(read, ["Boottime"]);
}
