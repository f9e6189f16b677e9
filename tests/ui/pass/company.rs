//! Together with other attributes.
#![deny(warnings)]

use async_trait::async_trait;
use dlock_runtime::{Lease, Locks, Memory, singleton};

#[async_trait]
trait Job {
    async fn run(&self, id: u32) -> Option<u32>;
    async fn change(&mut self, name: &str) -> Option<std::io::Result<usize>>;
    async fn consume(self: Box<Self>) -> Option<()>;

    #[singleton(key = "default:{id}", ttl = "30s")]
    async fn with_default(&self, id: u32) -> String
    where
        Self: Sync,
    {
        tick().await;
        id.to_string()
    }
}

async fn tick() {}

struct Nightly {
    base: u32,
}

#[async_trait]
impl Job for Nightly {
    #[singleton(key = "run:{id}:{self.base}", ttl = "30s")]
    async fn run(&self, id: u32) -> u32 {
        tick().await;
        let lease = Lease::current().expect("held");
        assert_eq!(lease.key().as_str(), "run:2:5");
        self.base + id
    }

    #[singleton(key = "change:{name}", ttl = "30s")]
    async fn change(&mut self, name: &str) -> std::io::Result<usize> {
        self.base += 1;
        tick().await;
        if name.is_empty() {
            return Err(std::io::Error::other("empty"));
        }
        Ok(name.len())
    }

    #[singleton(key = "consume", ttl = "30s")]
    async fn consume(self: Box<Self>) {
        tick().await;
    }
}

#[singleton(key = "above:{id}", ttl = "30s")]
#[tracing::instrument(skip(name))]
async fn above_instrument(id: u32, name: String) -> std::io::Result<usize> {
    tick().await;
    Ok(name.len())
}

#[tracing::instrument(ret)]
#[singleton(key = "below:{id}", ttl = "30s")]
async fn below_instrument(id: u32, name: String) -> std::io::Result<usize> {
    tick().await;
    Ok(name.len())
}

fn send<T: Send>(value: T) -> T {
    value
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let locks = Locks::builder(Memory::new()).build();
    let all = async {
        let mut job: Box<dyn Job + Send + Sync> = Box::new(Nightly { base: 5 });
        assert_eq!(send(job.run(2)).await, Some(7));
        assert_eq!(send(job.with_default(2)).await, Some("2".to_owned()));
        assert!(matches!(send(job.change("ab")).await, Some(Ok(2))));
        assert!(matches!(send(job.change("")).await, Some(Err(_))));
        assert_eq!(send(job.consume()).await, Some(()));
        assert!(matches!(
            send(above_instrument(1, "ab".to_owned())).await,
            Some(Ok(2))
        ));
        assert!(matches!(
            send(below_instrument(1, "ab".to_owned())).await,
            Some(Ok(2))
        ));
    };
    locks.scope(all).await;
}
