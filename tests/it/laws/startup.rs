//! Before `init`, and twice.

use dlock_runtime::{Error, ErrorKind, Memory, singleton};

#[singleton(key = "startup:job", ttl = "5s")]
async fn job() -> Result<u8, Error> {
    Ok(1)
}

#[singleton(key = "startup:job", ttl = "5s", on_error = "run")]
async fn run_on_error() -> u8 {
    1
}

/// The global `Locks` is one for the process: this is the only test of this binary that sets it.
#[tokio::test]
async fn before_init_a_call_is_an_error_that_names_the_call_to_make_and_a_second_init_is_one_too() {
    let error = job().await.expect("never a silent None").expect_err("not run");
    assert_eq!(error.kind(), ErrorKind::NotInitialized);
    assert!(error.to_string().contains("dlock_runtime::init"), "{error}");
    assert_eq!(run_on_error().await, None, "it never runs unlocked before init");
    dlock_runtime::init(Memory::new()).expect("the first");
    assert_eq!(job().await.expect("ran").expect("the body's own"), 1);
    let error = dlock_runtime::init(Memory::new()).expect_err("the second");
    assert_eq!(error.kind(), ErrorKind::AlreadyInitialized);
    assert_eq!(job().await.expect("ran").expect("the first stays in force"), 1);
}
