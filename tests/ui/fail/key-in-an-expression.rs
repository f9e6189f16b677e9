//! A text in an expression is no template, whatever wraps it; in parentheses or braces of its own it is one.
use dlock_runtime::singleton;

#[singleton(key = concat!("jobs:", "{id}"), ttl = "30s")]
async fn joined(id: u8) {}

#[singleton(key = "jobs:{id}".to_owned(), ttl = "30s")]
async fn converted(id: u8) {}

#[singleton(key = ("jobs:{who}"), ttl = "30s")]
async fn in_parentheses(id: u8) {}

#[singleton(key = { "jobs:{who}" }, ttl = "30s")]
async fn in_braces(id: u8) {}

macro_rules! job {
    ($name:ident, $key:expr) => {
        #[singleton(key = $key, ttl = "30s")]
        async fn $name(id: u8) {}
    };
}
job!(from_a_macro, "jobs:{who}");
job!(from_a_macro_in_parentheses, ("jobs:{who}"));

fn main() {}
