// #[singleton(key = "jobs", ttl = "30s")]
#[must_use]
async fn f() -> ::core::option::Option<io::Result<u32>> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Return,
        io::Result<u32>,
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
                    return ::dlock_runtime::__private::edge::<io::Result<u32>>();
                }
                {
                    Ok(1)
                }
            },
        )
        .await;
}
