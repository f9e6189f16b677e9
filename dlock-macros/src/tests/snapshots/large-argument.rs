// #[singleton(key = "jobs:{order}", ttl = "30s")]
async fn f(order: Order, other: Order) -> ::core::option::Option<u8> {
    return {
        let mut order = order;
        ::dlock_runtime::__private::run::<
            ::dlock_runtime::__private::Skip,
            u8,
            _,
        >(
            {
                ::dlock_runtime::__private::Spec::new(
                    "jobs:{order}",
                    ::dlock_runtime::__private::key(
                        ::core::format_args!("jobs:{}", order),
                    ),
                    ::core::time::Duration::from_millis(30000),
                )
            },
            async move {
                _ = (&order,);
                if false {
                    return ::dlock_runtime::__private::edge::<u8>();
                }
                {
                    order.next(other)
                }
            },
        )
    }
        .await;
}
