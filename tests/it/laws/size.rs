//! What the attribute adds to a future.

use std::time::Duration;

use dlock_runtime::singleton;

async fn plain(array: [u8; 4096]) -> u8 {
    tokio::time::sleep(Duration::from_millis(1)).await;
    array[0]
}

#[singleton(key = "size:job", ttl = "5s")]
async fn annotated(array: [u8; 4096]) -> u8 {
    tokio::time::sleep(Duration::from_millis(1)).await;
    array[0]
}

async fn small_plain() {
    tokio::task::yield_now().await;
}

#[singleton(key = "size:small", ttl = "5s")]
async fn small() {
    tokio::task::yield_now().await;
}

#[test]
fn a_future_grows_by_at_most_512_bytes() {
    let grown = |annotated: usize, plain: usize| annotated.saturating_sub(plain);
    let small = grown(size_of_val(&small()), size_of_val(&small_plain()));
    assert!(small <= 512, "{small}");
    let large = (size_of_val(&annotated([0; 4096])), size_of_val(&plain([0; 4096])));
    assert!(grown(large.0, large.1) <= 512, "{large:?}");
}
