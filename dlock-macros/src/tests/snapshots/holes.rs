// #[singleton(key = "a:{{{tenant}}}:{order.id:08}:{type}", ttl = "1m 30s")]
pub async fn f(
    tenant: &str,
    Order { order, .. }: Order,
    r#type: u8,
) -> ::core::option::Option<usize> {
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        usize,
        _,
    >(
            {
                ::dlock_runtime::__private::Spec::new(
                    "a:{{{tenant}}}:{order.id:08}:{type}",
                    ::dlock_runtime::__private::key(
                        ::core::format_args!(
                            "a:{{{}}}:{:08}:{}", tenant, order.id, r#type
                        ),
                    ),
                    ::core::time::Duration::from_millis(90000),
                )
            },
            async move {
                if false {
                    return ::dlock_runtime::__private::edge::<usize>();
                }
                {
                    tenant.len()
                }
            },
        )
        .await;
}
