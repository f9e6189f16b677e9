//! The laws that every backend keeps.

use std::sync::Arc;
use std::time::Duration;

use crate::backend::{Backend, Claim, Fault, Fence, Grant, Release, Renewal};
use crate::vocabulary::token::Token;
use crate::{Holder, Key, Ttl};

/// A ttl that outlives the suite.
const LONG: Duration = Duration::from_secs(600);
/// A ttl that the suite waits for.
const SHORT: Duration = Duration::from_millis(200);
/// How long a thing that happens by itself may take on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// Checks a backend: `ours` and `theirs` reach the same empty store as two processes would, `prefix` begins all keys.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let store = dlock_runtime::Memory::new();
/// dlock_runtime::testing::conformance::check(&store, &store.clone(), "test").await;
/// # }
/// ```
///
/// # Panics
///
/// With the law that is broken.
pub async fn check(ours: &dyn Backend, theirs: &dyn Backend, prefix: &str) {
    let suite = Suite { ours, theirs, prefix };
    suite.a_free_key_is_granted_once_and_the_other_learns_the_holder().await;
    suite.an_acquire_that_is_repeated_recognizes_its_own_token().await;
    suite.a_release_frees_the_key_once().await;
    suite.a_foreign_token_neither_renews_nor_releases().await;
    suite.a_renewal_answers_for_each_claim_in_order_and_creates_nothing().await;
    suite.different_keys_are_independent().await;
    suite.a_call_that_is_never_polled_does_nothing().await;
    suite.fencing_tokens_grow_with_every_grant_and_only_the_holder_gets_one().await;
    if ours.leases_expire() {
        suite.a_grant_expires_and_a_renewal_prolongs_it().await;
        suite.a_kept_key_stays_taken_and_expires_by_itself().await;
    }
}

struct Suite<'a> {
    ours: &'a dyn Backend,
    theirs: &'a dyn Backend,
    prefix: &'a str,
}

impl Suite<'_> {
    fn claim(&self, key: &str, ttl: Duration) -> Arc<Claim> {
        let Ok(ttl) = Ttl::try_from(ttl) else { unreachable!("the suite's ttls are in bounds") };
        let key = Key::from(format!("{}:{key}", self.prefix));
        Arc::new(Claim::new(key, Holder::of_this_process(Some("conformance")), ttl))
    }

    async fn a_free_key_is_granted_once_and_the_other_learns_the_holder(&self) {
        let (first, second) = (self.claim("once", LONG), self.claim("once", LONG));
        granted(self.ours, &first, "a free key is granted").await;
        for backend in [self.ours, self.theirs] {
            let Ok(Grant::Contended(contended)) = backend.try_acquire(&second).await else {
                panic!("a key that is held is contended");
            };
            let told = contended.holder.is_none_or(|holder| holder == first.holder);
            assert!(told, "whoever finds a key contended learns its holder or nothing");
        }
        freed(self.ours, &first, "a held key is freed").await;
        granted(self.theirs, &second, "a freed key is granted to the other").await;
        freed(self.theirs, &second, "and is freed by it").await;
    }

    async fn an_acquire_that_is_repeated_recognizes_its_own_token(&self) {
        if !self.ours.leases_expire() {
            // Nothing stands between such a store and its caller that could break.
            return;
        }
        let claim = self.claim("repeated", LONG);
        granted(self.ours, &claim, "a free key is granted").await;
        granted(self.ours, &claim, "our own token under the key is a grant").await;
        freed(self.ours, &claim, "and is freed once").await;
        not_ours(self.ours, &claim, "and not twice").await;
    }

    async fn a_release_frees_the_key_once(&self) {
        let (claim, next) = (self.claim("released", LONG), self.claim("released", LONG));
        not_ours(self.ours, &claim, "what was never granted is not freed").await;
        granted(self.ours, &claim, "a free key is granted").await;
        freed(self.ours, &claim, "a held key is freed").await;
        granted(self.ours, &next, "a freed key is granted").await;
        not_ours(self.ours, &claim, "an old token does not free its successor").await;
        assert_eq!(renewal(self.ours, &next).await, Renewal::Held, "and the successor still holds");
        freed(self.ours, &next, "and is freed").await;
    }

    async fn a_foreign_token_neither_renews_nor_releases(&self) {
        let (held, foreign) = (self.claim("foreign", LONG), self.claim("foreign", LONG));
        granted(self.ours, &held, "a free key is granted").await;
        assert_ne!(held.token.as_u128(), Token::as_u128(&foreign.token));
        for backend in [self.ours, self.theirs] {
            assert_eq!(renewal(backend, &foreign).await, Renewal::NotOurs, "a foreign token renews nothing");
            not_ours(backend, &foreign, "a foreign token frees nothing").await;
        }
        assert_eq!(renewal(self.ours, &held).await, Renewal::Held, "the holder still holds");
        freed(self.ours, &held, "and frees").await;
    }

    async fn a_renewal_answers_for_each_claim_in_order_and_creates_nothing(&self) {
        let claims = [self.claim("batch:a", LONG), self.claim("batch:b", LONG), self.claim("batch:c", LONG)];
        granted(self.ours, &claims[0], "a free key is granted").await;
        granted(self.ours, &claims[2], "a free key is granted").await;
        let answers: Vec<_> = self.ours.renew(&claims).await.into_iter().map(Result::ok).collect();
        let expected = [Renewal::Held, Renewal::NotOurs, Renewal::Held].map(Some);
        assert_eq!(answers, expected, "a renewal answers for each claim in order");
        let other = self.claim("batch:b", LONG);
        granted(self.theirs, &other, "a renewal creates no key").await;
        freed(self.theirs, &other, "clean up").await;
        freed(self.ours, &claims[0], "clean up").await;
        freed(self.ours, &claims[2], "clean up").await;
    }

    async fn different_keys_are_independent(&self) {
        let long = format!("{}1", "x".repeat(2000));
        let other = format!("{}2", "x".repeat(2000));
        let odd = [
            "a", "A", "a b", "a:b", "*", "[a]?", "%s", "a\nb", "é", "e\u{301}", "../a", "{a}", "{}a", "}a{",
            "a/b",
        ];
        let claims: Vec<_> =
            odd.iter().copied().chain([&*long, &*other]).map(|key| self.claim(key, LONG)).collect();
        for claim in &claims {
            granted(self.ours, claim, "keys that differ in any byte are different keys").await;
        }
        for claim in &claims {
            freed(self.ours, claim, "each is freed").await;
        }
    }

    async fn a_call_that_is_never_polled_does_nothing(&self) {
        let (dropped, next) = (self.claim("unpolled", LONG), self.claim("unpolled", LONG));
        drop(self.ours.try_acquire(&dropped));
        granted(self.theirs, &next, "a call that is never polled takes nothing").await;
        drop(self.theirs.release(&next, None));
        assert_eq!(
            renewal(self.theirs, &next).await,
            Renewal::Held,
            "a release that is never polled frees nothing"
        );
        freed(self.theirs, &next, "clean up").await;
    }

    async fn fencing_tokens_grow_with_every_grant_and_only_the_holder_gets_one(&self) {
        let mut last = None;
        for round in 0..6 {
            let (holder, other) =
                if round % 2 == 0 { (self.ours, self.theirs) } else { (self.theirs, self.ours) };
            let (claim, foreign) = (self.claim("fenced", LONG), self.claim("fenced", LONG));
            granted(holder, &claim, "a free key is granted").await;
            match holder.fence(&claim).await {
                Ok(Fence::Token(token)) => {
                    assert!(last < Some(token), "a fencing token is larger than that of every earlier grant");
                    last = Some(token);
                }
                // A store that has none says so, every time.
                Err(error) if error.fault() == Fault::Refused && last.is_none() => {}
                other => panic!("the holder gets a fencing token: {other:?}"),
            }
            let refused = other.fence(&foreign).await;
            assert!(!matches!(refused, Ok(Fence::Token(_))), "a foreign token gets no fencing token");
            freed(holder, &claim, "clean up").await;
            let late = holder.fence(&claim).await;
            assert!(!matches!(late, Ok(Fence::Token(_))), "what was released gets no fencing token");
        }
    }

    async fn a_grant_expires_and_a_renewal_prolongs_it(&self) {
        let (short, next) = (self.claim("expires", SHORT), self.claim("expires", LONG));
        granted(self.ours, &short, "a free key is granted").await;
        for _ in 0..10 {
            tokio::time::sleep(SHORT / 4).await;
            assert_eq!(renewal(self.ours, &short).await, Renewal::Held, "a renewal prolongs a grant");
        }
        self.becomes_free(&next, "a grant expires when it is not renewed").await;
        assert_eq!(renewal(self.ours, &short).await, Renewal::NotOurs, "an expired grant is not renewed");
        not_ours(self.ours, &short, "an expired grant frees nothing").await;
        freed(self.theirs, &next, "clean up").await;
    }

    async fn a_kept_key_stays_taken_and_expires_by_itself(&self) {
        let (kept, next) = (self.claim("kept", LONG), self.claim("kept", LONG));
        granted(self.ours, &kept, "a free key is granted").await;
        let keep = self.ours.release(&kept, Some(LONG)).await;
        assert!(matches!(keep, Ok(Release::Freed)), "a key can be kept: {keep:?}");
        let still = self.theirs.try_acquire(&next).await;
        assert!(matches!(still, Ok(Grant::Contended(_))), "a kept key stays taken: {still:?}");
        let keep = self.ours.release(&kept, Some(SHORT)).await;
        assert!(matches!(keep, Ok(Release::Freed)), "a key can be kept for less: {keep:?}");
        self.becomes_free(&next, "a kept key expires by itself").await;
        freed(self.theirs, &next, "clean up").await;
    }

    /// Asks until the key is granted.
    async fn becomes_free(&self, claim: &Claim, law: &str) {
        const PAUSE: Duration = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        while !matches!(self.theirs.try_acquire(claim).await, Ok(Grant::Acquired)) {
            assert!(waited < SOON, "{law}");
            tokio::time::sleep(PAUSE).await;
            waited += PAUSE;
        }
    }
}

async fn granted(backend: &dyn Backend, claim: &Claim, law: &str) {
    let answer = backend.try_acquire(claim).await;
    assert!(matches!(answer, Ok(Grant::Acquired)), "{law}: {:?} gave {answer:?}", claim.key);
}

async fn freed(backend: &dyn Backend, claim: &Claim, law: &str) {
    let answer = backend.release(claim, None).await;
    assert!(matches!(answer, Ok(Release::Freed)), "{law}: {:?} gave {answer:?}", claim.key);
}

async fn not_ours(backend: &dyn Backend, claim: &Claim, law: &str) {
    let answer = backend.release(claim, None).await;
    assert!(matches!(answer, Ok(Release::NotOurs)), "{law}: {:?} gave {answer:?}", claim.key);
}

async fn renewal(backend: &dyn Backend, claim: &Arc<Claim>) -> Renewal {
    match backend.renew(std::slice::from_ref(claim)).await.pop() {
        Some(Ok(renewal)) => renewal,
        other => panic!("a renewal is answered: {other:?}"),
    }
}
