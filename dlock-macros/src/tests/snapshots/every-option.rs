// #[singleton(key = KEY, ttl = TTL, min_hold = "10s", on_error = "run", on_lost = "continue", backend = "db", crate = ::locks)]
async fn f() -> ::core::option::Option<u8> {
    return ::locks::__private::run::<
        ::locks::__private::Unlocked,
        u8,
        _,
    >(
            {
                ::locks::__private::Spec::new(
                        "KEY",
                        ::locks::__private::into_key(KEY),
                        TTL,
                    )
                    .min_hold(::core::time::Duration::from_millis(10000))
                    .backend("db")
                    .keep_when_lost()
            },
            async move {
                if false {
                    return ::locks::__private::edge::<u8>();
                }
                {
                    1
                }
            },
        )
        .await;
}
