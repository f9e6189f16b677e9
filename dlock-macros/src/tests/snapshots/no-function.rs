// #[singleton(key = "jobs", ttl = "30s")]
::core::compile_error! {
    "`#[singleton]` goes on an `async fn`: move it to each function that must run in one process at a time"
}
struct S;
