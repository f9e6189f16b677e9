//! What is logged: each event names the key, the token and the holder.

use std::time::Duration;

use super::calls::acquired;
use super::stores::locks;
use crate::support::redis::RedisServer;
use crate::support::{events, poll, port};

const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn acquired_skipped_renewed_released_and_lost_name_key_token_and_holder() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let key = "events:job";
    assert_eq!(events::about(key), Vec::<String>::new());
    let lease = acquired(locks.lease(key).ttl(Duration::from_millis(400)).try_acquire().await);
    let (token, holder) = (lease.token().to_string(), lease.holder().to_string());
    drop(locks.lease(key).ttl(SOON).try_acquire().await);
    assert_eq!(events::count(key, "INFO", &format!("held_by=\"{holder}\"")), 1, "{:?}", events::about(key));
    poll::until_async("a renewal", SOON, async || events::count(key, "DEBUG", "renewed") > 0).await;
    let _ = lease.release().await.expect("released");
    let lease = acquired(locks.lease(key).ttl(Duration::from_millis(400)).try_acquire().await);
    server.cmd(&["DEL", key]);
    poll::until_async("the loss", SOON, async || events::count(key, "WARN", "lost") > 0).await;
    drop(lease);
    for (level, word) in
        [("DEBUG", "acquired"), ("DEBUG", "renewed"), ("DEBUG", "released"), ("INFO", "skipped")]
    {
        assert!(events::count(key, level, word) > 0, "{word}: {:?}", events::about(key));
    }
    assert_eq!(events::count(key, "WARN", "lost"), 1, "a loss is reported once: {:?}", events::about(key));
    assert!(events::about(key).iter().all(|event| event.contains(" token=") && event.contains(&holder)));
    assert!(events::about(key).iter().any(|event| event.contains(&token)));
}

#[tokio::test]
async fn failed_names_the_key_and_the_cause() {
    let locks = locks(&format!("redis://127.0.0.1:{}", port::free()));
    assert_eq!(events::about("events:failed"), Vec::<String>::new());
    drop(locks.lease("events:failed").ttl(SOON).try_acquire().await);
    let failed = events::about("events:failed");
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].starts_with("ERROR") && failed[0].contains("refused"), "{failed:?}");
}

#[tokio::test]
async fn a_key_with_a_newline_forges_no_line() {
    assert_eq!(events::about("x"), Vec::<String>::new());
    let key = "events:forged\nERROR dlock failed key=x";
    drop(locks("memory:").lease(key).ttl(SOON).try_acquire().await);
    let seen = events::about(key);
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|event| !event.contains('\n')), "{seen:?}");
}
