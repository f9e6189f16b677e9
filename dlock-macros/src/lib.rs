//! The `#[singleton]` attribute of dlock. Use it through `dlock_runtime`, which re-exports it.
#![forbid(unsafe_code)]

mod args;
mod boxed;
mod captures;
mod check;
mod company;
mod doc;
mod duration;
mod errors;
mod expand;
mod function;
mod hole;
mod leaving;
mod names;
mod options;
mod refused;
mod returned;
mod slot;
mod spec;
mod stub;
mod template;
mod values;
mod verbatim;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Runs an `async fn` in at most one process at a time.
///
/// ```
/// use dlock_runtime::singleton;
///
/// #[singleton(key = "jobs:invoice", ttl = "30s")]
/// async fn send_invoice_reminders() -> std::io::Result<usize> {
///     Ok(42)
/// }
///
/// # async fn example() -> std::io::Result<()> {
/// match send_invoice_reminders().await {
///     Some(result) => println!("sent {}", result?),
///     None => println!("another instance is at it"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// The function takes the lease of its key, runs its body while the lease is renewed in the background, and gives
/// the key back. Its return type `R` becomes `Option<R>`: `None` means that the body did not run here, or was
/// stopped. A `None` or an error of the body itself arrives as `Some(None)` or `Some(Err(..))`; `?` and `return`
/// belong to the body. Nothing happens before the future is polled.
///
/// # Options
///
/// | option | value | default |
/// |---|---|---|
/// | [`key`](#key) | a template, or an expression | required |
/// | [`ttl`](#ttl) | a duration | required |
/// | [`min_hold`](#min_hold) | a duration | none |
/// | [`on_error`](#on_error) | `"return"`, `"skip"`, `"run"` | `"return"` where the return type is spelled `Result<..>`, else `"skip"` |
/// | [`on_lost`](#on_lost) | `"stop"`, `"continue"` | `"stop"` |
/// | [`backend`](#backend) | a string | the default backend |
/// | [`crate`](#crate) | a path | `::dlock_runtime` |
///
/// The names `wait`, `max_hold`, `once`, `within` and `returns` are reserved: they are read and checked, and then
/// refused as not supported yet.
///
/// ## `key`
///
/// What is protected. Two calls exclude each other when their keys are equal.
///
/// ```
/// # use dlock_runtime::singleton;
/// # struct Order { id: u64 }
/// # struct Tenant;
/// # impl Tenant { fn name(&self) -> &str { "acme" } }
/// // the same key for every call
/// #[singleton(key = "jobs:invoice", ttl = "30s")]
/// async fn everything() {}
///
/// // an argument, through `Display`; fields of one; braces in the key
/// #[singleton(key = "jobs:{tenant}:{order.id}:{pair.0}:{{literally}}", ttl = "30s")]
/// async fn of_a_tenant(tenant: &str, order: Order, pair: (u8, u8)) {}
///
/// // the formats of `format!`, with numbers for width and precision
/// #[singleton(key = "jobs:{id:08}:{kind:?}", ttl = "30s")]
/// async fn formatted(id: u32, kind: Option<&str>) {}
///
/// struct Worker { region: String }
///
/// impl Worker {
///     // fields of the method's `self`, or `{self}`
///     #[singleton(key = "jobs:{self.region}", ttl = "30s")]
///     async fn sweep(&self) {}
/// }
///
/// // any expression that is `Into<Key>`: `&str`, `String`, ..
/// const JOB_KEY: &str = "jobs:invoice";
///
/// #[singleton(key = JOB_KEY, ttl = "30s")]
/// async fn by_constant() {}
///
/// #[singleton(key = format!("jobs:{}", tenant.name()), ttl = "30s")]
/// async fn by_expression(tenant: &Tenant) {}
/// ```
///
/// Names that a destructured argument binds count as arguments. An argument `r#type` is written `{type}`. The key
/// is built when the future is first polled, before the body takes its arguments; no reference to an argument
/// lives across an await.
///
/// **Holes are joined as they are.** `"{a}:{b}"` gives the same key for `("x:y", "z")` and `("x", "y:z")`. Where
/// that could happen write `{a:?}`: the `Debug` of text is quoted and escaped, so that two different tuples of
/// texts never make the same key. Between whole numbers any text without a digit is enough.
///
/// A text that only becomes a key, such as one in `concat!(..)`, is no template, and a `{` in it is an error.
///
/// **Locks are not reentrant.** A body that calls a function with its own key finds the key taken: that call returns
/// `None`, also in the same process and the same task.
///
/// ## `ttl`
///
/// How long the lease lives without renewal, and so how long after a crash another process has to wait.
///
/// ```
/// # use dlock_runtime::singleton;
/// # use std::time::Duration;
/// // units: ms, s, m, h, d, the largest first; also spelled out, as in "2 hours" or "30 sec"
/// #[singleton(key = "jobs:a", ttl = "1m 30s")]
/// async fn by_literal() {}
///
/// // an expression of type `Duration`; out of bounds it is an error at the call
/// #[singleton(key = "jobs:b", ttl = patience * 2)]
/// async fn by_expression(patience: Duration) {}
/// ```
///
/// At least `"100ms"`, at most `"365d"`. The lease is renewed while the body runs: the ttl does not bound it.
///
/// ## `min_hold`
///
/// After a short run the key is kept until this long after it was granted, so that a scheduler whose clock is late
/// does not run the same tick again.
///
/// ```
/// # use dlock_runtime::singleton;
/// #[singleton(key = "jobs:every-minute", ttl = "30s", min_hold = "10s")]
/// async fn every_minute() {}
/// ```
///
/// ## `on_error`
///
/// What happens when the store cannot be asked, or when the lease was lost while the body ran. A key that another
/// process holds is not an error.
///
/// - `"return"`: the error arrives as `Some(Err(error.into()))`. The function's error type must be
///   `From<dlock_runtime::Error>`, as those of `std::io`, `anyhow` and `Box<dyn Error + Send + Sync>` are.
/// - `"skip"`: the error is logged and the function returns `None`.
/// - `"run"`: like `"skip"`, but where the store cannot be asked the body runs without the lock.
///
/// ```
/// # use dlock_runtime::singleton;
/// #[derive(Debug)]
/// enum JobError {
///     Lock(dlock_runtime::Error),
///     TooLate,
/// }
///
/// impl From<dlock_runtime::Error> for JobError {
///     fn from(error: dlock_runtime::Error) -> Self {
///         JobError::Lock(error)
///     }
/// }
///
/// // `Some(Err(JobError::Lock(..)))` when the store cannot be asked; `None` is a skip and nothing else
/// #[singleton(key = "jobs:invoice", ttl = "30s")]
/// async fn invoice() -> Result<usize, JobError> { Ok(1) }
///
/// // better twice than not at all
/// #[singleton(key = "jobs:heartbeat", ttl = "30s", on_error = "run")]
/// async fn heartbeat() {}
/// ```
///
/// The default goes by the spelling of the return type, since a macro sees no further: `Result<..>` under any path,
/// such as `io::Result<()>`, means `"return"`. Everything else is an ordinary type, an alias such as `JobResult<T>`
/// or `fmt::Result` included: for those choose `on_error` yourself.
///
/// ## `on_lost`
///
/// What happens to the body when its lease is lost: `"stop"` drops its future at the await where it stands,
/// `"continue"` lets it finish, with a warning in the log.
///
/// ```
/// # use dlock_runtime::{Lease, singleton};
/// #[singleton(key = "jobs:export", ttl = "30s", on_lost = "continue")]
/// async fn export(pages: u32) {
///     for page in 0..pages {
///         if !Lease::current().is_some_and(|lease| lease.is_held()) {
///             return; // in its own time
///         }
///         # let _ = page;
///     }
/// }
/// ```
///
/// ## `backend`
///
/// The name that a backend was registered under.
///
/// ```
/// # use dlock_runtime::{Locks, Memory, singleton};
/// let locks = Locks::builder(Memory::new()).backend("db", Memory::new()).build();
///
/// #[singleton(key = "jobs:migration", ttl = "30s", backend = "db")]
/// async fn migration() {}
/// # let _ = locks;
/// ```
///
/// ## `crate`
///
/// Where `dlock_runtime` is found, for a crate that renames or re-exports it.
///
/// ```
/// mod reexports {
///     pub use dlock_runtime as locks;
/// }
///
/// #[reexports::locks::singleton(key = "jobs:a", ttl = "30s", crate = crate::reexports::locks)]
/// async fn reexported() {}
/// # fn main() {}
/// ```
///
/// # Where it can stand
///
/// On every `async fn` with a body: free functions, methods with every kind of `self`, functions of traits and
/// their implementations (the trait declares `Option<R>`), generic and `unsafe` ones, ones made by `macro_rules!`.
/// Inside `#[async_trait]`, where the trait's method returns `Option<R>` as well. Above and below
/// `#[tracing::instrument]`, below it where that has `err`. Once on a function. Not on tests and not on `main`, which cannot return an `Option`: let them call an
/// annotated function.
///
/// The types of a closure's arguments are not inferred from a return type `impl Fn(..)`. Write them down, or return a box:
///
/// ```
/// # use dlock_runtime::singleton;
/// #[singleton(key = "jobs:prefix", ttl = "30s")]
/// async fn with_types() -> impl Fn(&str) -> usize {
///     |text: &str| text.len()
/// }
///
/// #[singleton(key = "jobs:boxed", ttl = "30s")]
/// async fn boxed() -> Box<dyn Fn(&str) -> usize> {
///     Box::new(|text| text.len())
/// }
/// ```
///
/// # Cancel safety
///
/// The future may be dropped at any await: by a timeout, `select!`, an aborted task, a runtime that shuts down. The body
/// is dropped first, then the key is given back in the background, also when the answer to a request was still on its
/// way. A process that exits in that very moment leaves the key to its ttl.
///
/// # What it expands to
///
/// ```text
/// async fn rebuild(tenant: &str) -> Option<u32> {
///     return run::<Skip, u32, _>(
///         Spec::new("jobs:{tenant}", key(format_args!("jobs:{}", tenant)), Duration::from_millis(30_000)),
///         async move { /* the body */ },
///     )
///     .await;
/// }
/// ```
///
/// The future is `Send` exactly when the body's is. It holds the body's future and the state of the lease next to it,
/// without an allocation for the body, and is at most 512 bytes larger than the body's own. Only a large argument that is
/// passed by value and that the key names may be stored twice: where it is `self` or a part of a pattern, where the body
/// does not use it, and where the key is an expression.
///
/// A function whose return type is spelled `Result` is `#[must_use]`, as the `Result` in its `Option` is. `-> !` becomes
/// `Option<Infallible>`; under clippy such a function allows `clippy::infinite_loop` for itself, so a crate that is checked
/// by clippy has to deny that lint rather than to forbid it. The documentation of a documented function ends with a line that says under which key and ttl it
/// runs.
#[proc_macro_attribute]
pub fn singleton(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(attribute.into(), item.into()).into()
}
