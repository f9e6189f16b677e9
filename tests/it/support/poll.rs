//! Waiting for something to become true, instead of sleeping and hoping.

use std::future::Future;
use std::panic::Location;
use std::time::{Duration, Instant};

/// How long a condition rests between two looks.
const INTERVAL: Duration = Duration::from_millis(2);

/// Looks until `condition` holds; panics with `what` when it does not within `within`.
#[track_caller]
pub(crate) fn until(what: &str, within: Duration, mut condition: impl FnMut() -> bool) {
    value(what, within, || condition().then_some(()));
}

/// Looks until `find` gives a value and returns it; panics with `what` when it does not within `within`.
#[track_caller]
pub(crate) fn value<T>(what: &str, within: Duration, find: impl FnMut() -> Option<T>) -> T {
    find_within(within, find).unwrap_or_else(|| panic!("waited {within:?} in vain for: {what}"))
}

/// Looks until `find` gives a value; `None` when it does not within `within`.
pub(crate) fn find_within<T>(within: Duration, mut find: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + within;
    loop {
        let found = find();
        if found.is_some() || Instant::now() >= deadline {
            return found;
        }
        std::thread::sleep(INTERVAL);
    }
}

/// [`until`] for a test that must not block its runtime.
#[track_caller]
pub(crate) fn until_async(
    what: &str,
    within: Duration,
    mut condition: impl AsyncFnMut() -> bool,
) -> impl Future<Output = ()> {
    let caller = Location::caller();
    async move {
        let deadline = Instant::now() + within;
        while !condition().await {
            assert!(Instant::now() < deadline, "{caller}: waited {within:?} in vain for: {what}");
            tokio::time::sleep(INTERVAL).await;
        }
    }
}
