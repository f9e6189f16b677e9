//! What the macro prints, as formatted Rust in `snapshots/`. Run with `UPDATE_SNAPSHOTS=1` to write them anew.

use std::path::Path;

use super::expand;

const CASES: [(&str, &str, &str); 13] = [
    ("plain", "key = \"jobs\", ttl = \"30s\"", "async fn f() {}"),
    (
        "holes",
        "key = \"a:{{{tenant}}}:{order.id:08}:{type}\", ttl = \"1m 30s\"",
        "pub async fn f(tenant: &str, Order { order, .. }: Order, r#type: u8) -> usize { tenant.len() }",
    ),
    (
        "large-argument",
        "key = \"jobs:{order}\", ttl = \"30s\"",
        "async fn f(mut order: Order, other: Order) -> u8 { order.next(other) }",
    ),
    (
        "method",
        "key = \"{self.zone}\", ttl = \"30s\"",
        "async fn f<'a, T>(&'a self, t: T) -> &'a T where T: Send { &self.t }",
    ),
    ("result", "key = \"jobs\", ttl = \"30s\"", "async fn f() -> io::Result<u32> { Ok(1) }"),
    (
        "must-use-is-kept",
        "key = \"jobs\", ttl = \"30s\"",
        "#[must_use = \"sent\"] async fn f() -> io::Result<u32> { Ok(1) }",
    ),
    (
        "every-option",
        "key = KEY, ttl = TTL, min_hold = \"10s\", on_error = \"run\", on_lost = \"continue\", backend = \"db\", crate = ::locks",
        "async fn f() -> u8 { 1 }",
    ),
    (
        "impl-trait",
        "key = \"jobs\", ttl = \"30s\"",
        "async fn f() -> Result<impl Fn(u8) -> u8, E> { Ok(|n| n) }",
    ),
    ("never", "key = \"jobs\", ttl = \"30s\"", "async fn f() -> ! { loop {} }"),
    (
        "inner-attributes-and-docs",
        "key = \"jobs:{id}\", ttl = \"30s\"",
        "/// Runs.\n#[inline]\nasync unsafe fn f(id: u8) -> u8 { #![allow(unused)] let x = 1; id }",
    ),
    (
        "async-trait",
        "key = \"jobs:{id}\", ttl = \"30s\"",
        "fn f<'life0, 'async_trait>(&'life0 self, id: u8) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = u8> + ::core::marker::Send + 'async_trait>> where 'life0: 'async_trait { Box::pin(async move { id }) }",
    ),
    ("mistake", "key = \"jobs:{who}\", ttl = \"30\"", "fn f(id: u8) -> u8 { id }"),
    ("no-function", "key = \"jobs\", ttl = \"30s\"", "struct S;"),
];

#[test]
fn expansions_are_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/snapshots");
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    for (name, attribute, item) in CASES {
        let expansion = expand(attribute, item);
        let file =
            syn::parse2(expansion.clone()).unwrap_or_else(|error| panic!("{name}: {error}\n{expansion}"));
        let printed = format!("// #[singleton({attribute})]\n{}", prettyplease::unparse(&file));
        let path = folder.join(format!("{name}.rs"));
        if update {
            std::fs::write(&path, &printed).expect("written");
        }
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(recorded == printed, "{name} expands to something else than {}:\n{printed}", path.display());
    }
}
