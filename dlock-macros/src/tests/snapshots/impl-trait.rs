// #[singleton(key = "jobs", ttl = "30s")]
#[must_use]
async fn f() -> ::core::option::Option<Result<impl Fn(u8) -> u8, E>> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Return,
        Result<_, E>,
        _,
    >(
            {
                ::dlock_runtime::__private::Spec::new(
                    "jobs",
                    ::dlock_runtime::__private::key(::core::format_args!("jobs")),
                    ::core::time::Duration::from_millis(30000),
                )
            },
            async move {
                if false {
                    return ::dlock_runtime::__private::edge::<Result<_, E>>();
                }
                {
                    Ok(|n| n)
                }
            },
        )
        .await;
}
