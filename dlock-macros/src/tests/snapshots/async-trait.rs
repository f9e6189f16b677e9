// #[singleton(key = "jobs:{id}", ttl = "30s")]
fn f<'life0, 'async_trait>(
    &'life0 self,
    id: u8,
) -> ::core::pin::Pin<
    Box<
        dyn ::core::future::Future<
            Output = ::core::option::Option<u8>,
        > + ::core::marker::Send + 'async_trait,
    >,
>
where
    'life0: 'async_trait,
{
    Box::pin(async move {
        return ::dlock_runtime::__private::run::<
            ::dlock_runtime::__private::Skip,
            u8,
            _,
        >(
                {
                    ::dlock_runtime::__private::Spec::new(
                        "jobs:{id}",
                        ::dlock_runtime::__private::key(
                            ::core::format_args!("jobs:{}", id),
                        ),
                        ::core::time::Duration::from_millis(30000),
                    )
                },
                {
                    Box::pin(async move { id })
                },
            )
            .await;
    })
}
