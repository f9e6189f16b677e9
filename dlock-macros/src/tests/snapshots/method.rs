// #[singleton(key = "{self.zone}", ttl = "30s")]
async fn f<'a, T>(&'a self, t: T) -> ::core::option::Option<&'a T>
where
    T: Send,
{
    return ::dlock_runtime::__private::run::<
        ::dlock_runtime::__private::Skip,
        &'a T,
        _,
    >(
            {
                ::dlock_runtime::__private::Spec::new(
                    "{self.zone}",
                    ::dlock_runtime::__private::key(
                        ::core::format_args!("{}", self.zone),
                    ),
                    ::core::time::Duration::from_millis(30000),
                )
            },
            async move {
                if false {
                    return ::dlock_runtime::__private::edge::<&'a T>();
                }
                {
                    &self.t
                }
            },
        )
        .await;
}
