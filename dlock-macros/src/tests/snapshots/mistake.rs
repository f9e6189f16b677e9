// #[singleton(key = "jobs:{who}", ttl = "30")]
::core::compile_error! {
    "`ttl` needs a unit: write `\"30s\"` (units: ms, s, m, h, d)"
}
::core::compile_error! {
    "`#[singleton]` waits for a store, which only an `async fn` can: make it `async fn f`"
}
::core::compile_error! {
    "the hole `{who}` in `key` names no argument: the only argument is `id`"
}
async fn f(id: u8) -> ::core::option::Option<u8> {
    let _ = (&id,);
    ::core::option::Option::Some(
        async move {
            if false {
                return ::core::option::Option::None::<u8>.unwrap();
            }
            {
                id
            }
        }
            .await,
    )
}
