// #[singleton(key = "jobs", ttl = "30s")]
async fn f() -> ::dlock_runtime::__private::Option<()> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        (),
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
                    return ::dlock_runtime::__private::edge::<()>();
                }
                { }
            },
        )
        .await;
}
