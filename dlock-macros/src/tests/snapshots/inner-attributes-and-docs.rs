// #[singleton(key = "jobs:{id}", ttl = "30s")]
/// Runs.
///
/// Runs in one process at a time, under the key `jobs:{id}` with a ttl of `30s`; `None` where it did not run.
#[inline]
#[allow(unused)]
async unsafe fn f(id: u8) -> ::core::option::Option<u8> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        u8,
        _,
    >(
            {
                ::dlock_runtime::__private::Spec::new(
                    "jobs:{id}",
                    ::dlock_runtime::__private::key(::core::format_args!("jobs:{}", id)),
                    ::core::time::Duration::from_millis(30000),
                )
            },
            async move {
                if false {
                    return ::dlock_runtime::__private::edge::<u8>();
                }
                {
                    let x = 1;
                    id
                }
            },
        )
        .await;
}
