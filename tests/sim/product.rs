//! The product: every stage of a call, times every way in which its requests can fare, times every moment at which the
//! caller may go away.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use dlock_runtime::testing::{Call, Fate, Process, Reply, SimulatedStore};
use dlock_runtime::{Error, ErrorKind, Locks, Lost, Outcome};
use tokio::time::Instant;

/// Short: a renewal is due within the body, and the ttl may be what frees the key.
const SHORT: Duration = Duration::from_millis(1000);
/// Long: only a release frees the key while the test looks.
const LONG: Duration = Duration::from_secs(60);
/// By when a key with the long ttl is given back, once the network is well: the longest pause between two tries.
const GIVEN_BACK: Duration = Duration::from_secs(3);
/// When the network is well again.
const HEALED: Duration = Duration::from_secs(3);
const BODY: Duration = Duration::from_millis(1200);
const KEY: &str = "product";

const AT_ONCE: Option<Duration> = Some(Duration::ZERO);
const SLOW: Duration = Duration::from_millis(100);
/// A request that the store executes although the caller hears nothing, later than the caller waits.
const VERY_LATE: Option<Duration> = Some(Duration::from_millis(900));

/// Every way in which a request can fare.
const FATES: [(&str, Fate); 11] = [
    ("prompt", Fate::PROMPT),
    ("slow to arrive", Fate { executed: Some(SLOW), reply: Reply::After(Duration::ZERO) }),
    ("slow to answer", Fate { executed: AT_ONCE, reply: Reply::After(SLOW) }),
    ("answer lost", Fate { executed: AT_ONCE, reply: Reply::Never }),
    ("very late", Fate { executed: VERY_LATE, reply: Reply::Never }),
    ("request lost", Fate { executed: None, reply: Reply::Never }),
    ("broken after", Fate { executed: AT_ONCE, reply: Reply::Breaks(SLOW) }),
    ("broken, late", Fate { executed: VERY_LATE, reply: Reply::Breaks(SLOW) }),
    ("broken before", Fate { executed: None, reply: Reply::Breaks(SLOW) }),
    ("unreachable", Fate { executed: None, reply: Reply::Unreachable }),
    ("refused", Fate { executed: None, reply: Reply::Refused }),
];

/// What the caller hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    Ran,
    Skipped,
    Lost(Lost),
    Failed(ErrorKind),
    /// It had gone away.
    Nothing,
}

/// What a caller that stays must hear.
fn expected(stage: Call, fate: &str, always: bool, ttl: Duration) -> Told {
    match (stage, fate, always) {
        // The body is over before the first renewal.
        (Call::Renew, _, _) if ttl == LONG => Told::Ran,
        (_, "prompt" | "slow to arrive" | "slow to answer", _) => Told::Ran,
        (Call::Fence, _, _) => unreachable!("no body of the product asks for one"),
        // The release is the watchdog's then; it never gets between a body and its caller.
        (Call::Release, _, _) => Told::Ran,
        // One renewal without an answer is tried again.
        (Call::Renew, _, false) => Told::Ran,
        (Call::Renew, _, true) => Told::Lost(Lost::Expired),
        (Call::Acquire, "broken after" | "broken, late" | "broken before", false) => Told::Ran,
        (Call::Acquire, "refused", _) => Told::Failed(ErrorKind::StoreRefused),
        (Call::Acquire, _, _) => Told::Failed(ErrorKind::StoreUnreachable),
    }
}

#[test]
fn whatever_fails_and_whenever_the_caller_goes_it_is_told_the_truth_and_nothing_is_left() {
    let moments = [
        None,
        Some(0),
        Some(50),
        Some(150),
        Some(340),
        Some(400),
        Some(700),
        Some(1150),
        Some(1250),
        Some(1350),
    ];
    let mut cases = 0;
    for ttl in [SHORT, LONG] {
        for stage in [Call::Acquire, Call::Renew, Call::Release] {
            for (name, fate) in FATES {
                for always in [false, true] {
                    for leaves in moments {
                        let leaves = leaves.map(Duration::from_millis);
                        let case = Case { ttl, stage, fate, always, leaves };
                        let what = format!("{name}: {case:?}");
                        let told = case.run(&what);
                        let gone = leaves.is_some() && told == Told::Nothing;
                        assert!(gone || told == expected(stage, name, always, ttl), "{what}: told {told:?}");
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, 2 * 3 * 11 * 2 * 10);
}

#[derive(Debug)]
struct Case {
    ttl: Duration,
    stage: Call,
    fate: Fate,
    /// Whether every request of the stage fares so until the network is well again, or only the first.
    always: bool,
    /// When the caller goes away.
    leaves: Option<Duration>,
}

impl Case {
    fn run(&self, what: &str) -> Told {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let start = Instant::now();
            let store = SimulatedStore::new(start);
            let Case { ttl, stage, fate, always, leaves } = *self;
            let mut first = true;
            let link = store.link(move |call| {
                let hit = call == stage && (first || always) && Instant::now() < start + HEALED;
                first &= call != stage;
                if hit { fate } else { Fate::PROMPT }
            });
            let Process { locks, mut watchdog } = Process::new(Locks::builder(link), 1, start);
            let story = async {
                let told = call(&locks, ttl, leaves).await;
                self.is_left_alone(&store, start, what).await;
                told
            };
            beside(&mut watchdog, story).await
        })
    }

    /// The key is given back, and nobody touches it when it is another's then.
    async fn is_left_alone(&self, store: &SimulatedStore, start: Instant, what: &str) {
        let by = if self.ttl == LONG { start + HEALED + GIVEN_BACK } else { Instant::now() + SHORT * 2 };
        while store.value(KEY).is_some() {
            assert!(Instant::now() <= by, "{what}: the key is not given back");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // What was on its way has arrived by then, and been given back.
        tokio::time::sleep_until(start + HEALED + GIVEN_BACK).await;
        assert_eq!(store.value(KEY), None, "{what}: a late request has left a key");
        store.set(KEY, "another's", LONG);
        tokio::time::sleep(LONG / 2).await;
        assert_eq!(store.value(KEY).as_deref(), Some("another's"), "{what}: another's key was touched");
    }
}

async fn call(locks: &Locks, ttl: Duration, leaves: Option<Duration>) -> Told {
    let call = locks.run(KEY, ttl, |_| tokio::time::sleep(BODY));
    let outcome = match leaves {
        None => call.await,
        Some(after) => match tokio::time::timeout(after, call).await {
            Ok(outcome) => outcome,
            Err(_) => return Told::Nothing,
        },
    };
    told(&outcome)
}

fn told(outcome: &Result<Outcome<()>, Error>) -> Told {
    match outcome {
        Ok(Outcome::Ran(())) => Told::Ran,
        Ok(Outcome::Skipped(_)) => Told::Skipped,
        Ok(Outcome::Lost(lost)) => Told::Lost(*lost),
        Ok(Outcome::Failed(error)) | Err(error) => Told::Failed(error.kind()),
    }
}

/// Lives through a story while a watchdog watches.
pub(crate) async fn beside<T>(
    watchdog: &mut Pin<Box<dyn Future<Output = ()>>>,
    story: impl Future<Output = T>,
) -> T {
    let mut story = pin!(story);
    std::future::poll_fn(|cx| {
        let _ = watchdog.as_mut().poll(cx);
        match story.as_mut().poll(cx) {
            Poll::Ready(told) => Poll::Ready(told),
            Poll::Pending => watchdog.as_mut().poll(cx).map(|()| unreachable!("locks are alive")),
        }
    })
    .await
}
