// #[singleton(key = "jobs", ttl = "30s")]
async fn f() -> ::core::option::Option<()> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        (),
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
                    return ::dlock_runtime::__private::edge::<()>();
                }
                { }
            },
        )
        .await;
}
