//! One instance of a service: calls an annotated function as often as it is told, journals what the body
//! does, and prints one JSON line for each call.
//!
//! `{"call":1,"outcome":"ran|skipped|lost|error","detail":".."}`: the value or the error, on one line.

mod args;
#[path = "../sim/dice.rs"]
mod dice;
#[path = "../it/support/journal/writer.rs"]
mod journal;

use std::error::Error as _;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use args::Args;
use dice::Dice;
use dlock_runtime::{ErrorKind, FencingToken, Lease, Locks, Lost, singleton};

/// What the body does.
#[derive(Clone)]
struct Work {
    call: u64,
    steps: u32,
    step: Duration,
    blocking: bool,
    fail: bool,
    fence: bool,
    journal: Option<journal::Writer>,
}

/// Why there is no result.
#[derive(Debug)]
enum JobError {
    Lock(dlock_runtime::Error),
    Body,
}

impl From<dlock_runtime::Error> for JobError {
    fn from(error: dlock_runtime::Error) -> JobError {
        JobError::Lock(error)
    }
}

impl Display for JobError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            JobError::Body => f.write_str("the body failed"),
            JobError::Lock(error) => {
                write!(f, "{error}")?;
                let mut source = error.source();
                while let Some(cause) = source {
                    write!(f, ": {cause}")?;
                    source = cause.source();
                }
                Ok(())
            }
        }
    }
}

#[singleton(key = "accept:{name}", ttl = ttl)]
async fn job(name: &str, ttl: Duration, work: Work) -> Result<u32, JobError> {
    work.run().await
}

#[singleton(key = "accept:{name}", ttl = ttl, min_hold = min_hold)]
async fn held_job(name: &str, ttl: Duration, min_hold: Duration, work: Work) -> Result<u32, JobError> {
    work.run().await
}

impl Work {
    async fn run(self) -> Result<u32, JobError> {
        let journal = self.journal.as_ref();
        journal.inspect(|journal| journal.start(self.call));
        if self.fence {
            let lease = Lease::current().expect("inside of a body");
            let token = lease.fencing_token().await.ok().map(FencingToken::as_u64);
            journal.inspect(|journal| journal.fence(self.call, token));
        }
        for step in 1..=self.steps {
            journal.inspect(|journal| journal.step(self.call, step));
            if self.blocking {
                std::thread::sleep(self.step);
            } else {
                tokio::time::sleep(self.step).await;
            }
        }
        journal.inspect(|journal| journal.end(self.call));
        if self.fail { Err(JobError::Body) } else { Ok(self.steps) }
    }
}

async fn run(args: &Args) {
    let journal = args.journal.as_ref().map(|path| journal::Writer::open(path).expect("a journal to write"));
    let dice = args.random.map(Dice::of);
    for call in 1..=args.calls {
        rest_before(call, args, dice.as_ref()).await;
        if args.while_there.as_ref().is_some_and(|path| !path.exists()) {
            break;
        }
        let work = Work {
            call,
            steps: dice.as_ref().map_or(args.steps, |dice| some_steps(dice, args.steps)),
            step: args.step,
            blocking: args.blocking,
            fail: args.fail,
            fence: args.fence,
            journal: journal.clone(),
        };
        let ledger = journal.as_ref().filter(|_| args.ledger);
        ledger.inspect(|ledger| ledger.ask(call));
        let result = match args.min_hold {
            None => job(&args.key_name, args.ttl, work).await,
            Some(min_hold) => held_job(&args.key_name, args.ttl, min_hold, work).await,
        };
        ledger.inspect(|ledger| ledger.told(call, told(&result)));
        report(call, result);
    }
    tokio::time::sleep(args.linger).await;
}

/// One body in five is of any length up to `most` steps, the others are short.
fn some_steps(dice: &Dice, most: u32) -> u32 {
    let most = if dice.percent(20) { most } else { most.div_ceil(10) };
    1 + u32::try_from(dice.below(u64::from(most.max(1)))).expect("below a number of 32 bits")
}

/// Waits for the moment of a call.
async fn rest_before(call: u64, args: &Args, dice: Option<&Dice>) {
    match (args.every, dice) {
        (Some(every), _) => {
            let tick = every * u32::try_from(call - 1).expect("few calls");
            let now = Duration::from_nanos(journal::now());
            tokio::time::sleep((args.from + tick).saturating_sub(now)).await;
        }
        (None, Some(dice)) => {
            let most = u64::try_from(args.gap.as_millis()).expect("a number of 32 bits");
            tokio::time::sleep(dice.millis(most)).await;
        }
        (None, None) if call > 1 => tokio::time::sleep(args.gap).await,
        (None, None) => {}
    }
}

/// The outcome in the ledger's words.
fn told(result: &Option<Result<u32, JobError>>) -> &'static str {
    match result {
        None => "skipped",
        Some(Ok(_)) => "ran",
        Some(Err(JobError::Body)) => "error",
        Some(Err(JobError::Lock(error))) => match error.lost() {
            Some(Lost::Taken) => "taken",
            Some(_) => "expired",
            None => "error",
        },
    }
}

/// Prints the line of a call.
fn report(call: u64, result: Option<Result<u32, JobError>>) {
    let (outcome, detail) = match result {
        Some(Ok(value)) => ("ran", value.to_string()),
        None => ("skipped", String::new()),
        Some(Err(JobError::Lock(error))) if error.kind() == ErrorKind::Lost => {
            ("lost", JobError::Lock(error).to_string())
        }
        Some(Err(error)) => ("error", error.to_string()),
    };
    let detail = detail.replace(char::is_control, " ").replace('\\', r"\\").replace('"', r#"\""#);
    println!(r#"{{"call":{call},"outcome":"{outcome}","detail":"{detail}"}}"#);
}

fn main() {
    let args = Args::read(std::env::args_os().skip(1)).unwrap_or_else(|mistake| {
        eprintln!("probe: {mistake}");
        std::process::exit(2);
    });
    let locks = Locks::from_url(&args.url).expect("a URL of a backend");
    dlock_runtime::init(locks).expect("the first init of this process");
    let mut builder = match args.threads {
        None => tokio::runtime::Builder::new_current_thread(),
        Some(_) => tokio::runtime::Builder::new_multi_thread(),
    };
    if let Some(threads) = args.threads {
        builder.worker_threads(threads);
    }
    builder.enable_all().build().expect("a runtime").block_on(run(&args));
}
