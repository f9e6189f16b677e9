// #[singleton(key = "jobs", ttl = "30s")]
#[cfg_attr(clippy, allow(clippy::infinite_loop))]
async fn f() -> ::core::option::Option<::core::convert::Infallible> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        ::core::convert::Infallible,
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
                    return ::dlock_runtime::__private::edge::<
                        ::core::convert::Infallible,
                    >();
                }
                {
                    loop {}
                }
            },
        )
        .await;
}
