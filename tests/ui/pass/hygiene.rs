//! Names of the user's that look like ours or like the standard library's.
#![no_implicit_prelude]
#![deny(warnings)]
#![allow(dead_code, unused_macros)]

mod shadowed {
    mod dlock_runtime {}
    mod core {}
    mod std {}
    mod alloc {}

    pub struct Option;
    pub struct Some;
    pub struct Result;
    pub struct Box;
    pub struct Duration;
    pub struct Spec;
    pub struct Skip;
    pub trait Future {}
    pub trait Send {}
    pub trait Into {}

    macro_rules! format_args {
        ($($t:tt)*) => {
            compile_error!("the user's own")
        };
    }
    macro_rules! panic {
        ($($t:tt)*) => {
            compile_error!("the user's own")
        };
    }

    use ::dlock_runtime::singleton;

    #[singleton(key = "{key}/{ttl}/{run}/{__dlock_spec}", ttl = "30s")]
    pub async fn clash(key: u32, ttl: u32, run: u32, __dlock_spec: u32, private: u32) -> u32 {
        key + ttl + run + __dlock_spec + private
    }
}

#[allow(non_upper_case_globals)]
mod statics {
    static spec: u8 = 1;
    static __dlock_spec: u8 = 2;
    static run: u8 = 3;
    const key: u8 = 4;
    const body: u8 = 5;
    const never: u8 = 6;

    #[::dlock_runtime::singleton(key = "statics", ttl = "30s")]
    pub async fn statics() -> u8 {
        spec + __dlock_spec + run + key + body + never
    }
}

mod renamed {
    pub mod reexported {
        pub use ::dlock_runtime::*;
    }

    use self::reexported as locks;

    #[locks::singleton(key = "renamed", ttl = "30s", crate = crate::renamed::reexported)]
    pub async fn by_path() -> u8 {
        1
    }

    macro_rules! job {
        ($name:ident, $argument:ident) => {
            #[locks::singleton(key = "{x}:{own}", ttl = "30s", crate = $crate::renamed::reexported)]
            pub async fn $name(own: u8, $argument: u8) -> u8 {
                own + $argument
            }
        };
    }
    job!(by_macro, x);
}

struct A;
struct B;

impl A {
    #[::dlock_runtime::singleton(key = "a:{id}", ttl = "30s")]
    async fn run(&self, id: u32) -> u32 {
        #[::dlock_runtime::singleton(key = "nested:{id}", ttl = "30s")]
        async fn run(id: u32) -> u32 {
            id
        }
        run(id).await.unwrap_or(id)
    }
}

impl B {
    #[::dlock_runtime::singleton(key = "b:{id}", ttl = "30s")]
    async fn run(&self, id: u32) -> u32 {
        id
    }
}

fn main() {
    let _ = shadowed::clash(1, 2, 3, 4, 5);
    let _ = statics::statics();
    let _ = renamed::by_path();
    let _ = renamed::by_macro(1, 2);
    let _ = A.run(1);
    let _ = B.run(1);
}
