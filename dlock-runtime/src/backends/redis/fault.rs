//! Faults: what a Redis error says about the request and about the connection.

use redis::{ErrorKind, RedisError, ServerErrorKind, Value};

use crate::backend::{Fault, StoreError};

/// A connection could not be had: no request of ours was sent. What a server says at this stage may repeat what it was
/// sent, the password included, so only its code is kept.
pub(super) fn before_sending(error: RedisError, server: &str) -> StoreError {
    if error.kind() == ErrorKind::AuthenticationFailed {
        return StoreError::new(Fault::Refused, format!("{server} refused the credentials"));
    }
    if let Some(code) = error.code() {
        return refused(code, server);
    }
    let unreachable = StoreError::new(Fault::Unreachable, format!("{server} cannot be reached"));
    if error.is_io_error() { unreachable.with_source(error) } else { unreachable }
}

/// A request had been handed to the connection.
pub(super) fn after_sending(error: RedisError, server: &str) -> StoreError {
    if error.code() == Some("NOPERM") {
        // The server's own words name the command or the key.
        let why = error.detail().unwrap_or("a right is missing");
        let why = format!("{server} refused with NOPERM: {why} (docs/redis.md lists the rights)");
        return StoreError::new(Fault::Refused, why).with_source(error);
    }
    if let Some(code) = error.code() {
        return refused(code, server).with_source(error);
    }
    if error.is_timeout() {
        return StoreError::new(Fault::Unanswered, format!("{server} gave no answer in time"))
            .with_source(error);
    }
    if error.is_io_error() || error.is_unrecoverable_error() {
        return StoreError::new(Fault::Broken, format!("the connection to {server} broke"))
            .with_source(error);
    }
    StoreError::new(Fault::Unanswered, format!("{server} gave an answer that is none")).with_source(error)
}

/// The server said no, in a word of its own that users look up.
fn refused(code: &str, server: &str) -> StoreError {
    let hint = match code {
        "NOAUTH" => ": a password is needed",
        "READONLY" => ": this server is a replica",
        "OOM" => ": its memory is full",
        "LOADING" => ": it is still loading its data",
        _ => "",
    };
    StoreError::new(Fault::Refused, format!("{server} refused with {code}{hint}"))
}

/// The user may take a lock on the key and not give it back.
pub(super) fn missing_right(command: &str, server: &str) -> StoreError {
    let why =
        format!("{server} refused with NOPERM: the user may not run `{command}` on this key (docs/redis.md)");
    StoreError::new(Fault::Refused, why)
}

/// An answer of a shape that the command does not have.
pub(super) fn unexpected(what: &str, value: &Value) -> StoreError {
    let shape = match value {
        Value::Nil => "nil",
        Value::Int(_) => "an integer",
        Value::BulkString(_) | Value::SimpleString(_) => "a string",
        _ => "something else",
    };
    StoreError::new(
        Fault::Unanswered,
        format!("{what} answered with {shape}: is something between us and the server?"),
    )
}

/// Whether a new connection is needed: it broke, or it leads to a server that will not do.
pub(super) fn spoils_the_connection(error: &RedisError) -> bool {
    error.is_unrecoverable_error()
        || error.is_io_error()
        || matches!(error.code(), Some("READONLY" | "MASTERDOWN" | "NOAUTH"))
}

pub(super) fn is_no_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

pub(super) fn is_wrong_type(error: &RedisError) -> bool {
    error.code() == Some("WRONGTYPE")
}

/// `SET .. NX .. GET` before Redis 7.
pub(super) fn is_syntax(error: &RedisError) -> bool {
    error.code() == Some("ERR") && error.detail().is_some_and(|detail| detail.contains("syntax"))
}
