// #[singleton(key = "jobs", ttl = "30s")]
#[allow(clippy::infinite_loop)]
async fn f() -> ::dlock_runtime::__private::Option<
    ::dlock_runtime::__private::Infallible,
> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        ::dlock_runtime::__private::Infallible,
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
                    return ::dlock_runtime::__private::edge::<
                        ::dlock_runtime::__private::Infallible,
                    >();
                }
                {
                    loop {}
                }
            },
        )
        .await;
}
