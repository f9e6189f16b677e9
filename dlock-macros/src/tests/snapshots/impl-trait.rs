// #[singleton(key = "jobs", ttl = "30s")]
#[must_use]
async fn f() -> ::dlock_runtime::__private::Option<Result<impl Fn(u8) -> u8, E>> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Return,
        Result<_, E>,
        _,
    >(
            {
                ::dlock_runtime::__private::Spec::new(
                    "jobs",
                    ::dlock_runtime::__private::key(
                        ::dlock_runtime::__private::format_args!("jobs"),
                    ),
                    ::dlock_runtime::__private::Duration::from_millis(30000),
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
