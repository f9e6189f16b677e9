//! What the messages say, for the mistakes that need no compiler to see.

use super::expand;

/// The messages, in order.
fn messages(attribute: &str, item: &str) -> Vec<String> {
    let printed: syn::File = syn::parse2(expand(attribute, item)).expect("items");
    let message = |item: &syn::Item| match item {
        syn::Item::Macro(error) => Some(error.mac.parse_body::<syn::LitStr>().expect("text").value()),
        _ => None,
    };
    printed.items.iter().filter_map(message).collect()
}

#[test]
fn every_mistake_of_an_attribute_is_in_one_compile() {
    let attribute = "tll = \"3\", key = \"{who}\", on_error = \"panic\", key = \"b\", nonsense";
    let found = messages(attribute, "fn f(id: u8) -> u8 { id }");
    let expected = [
        "unknown option `tll`",
        "`on_error` must be one of",
        "`key` is given twice",
        "unknown option `nonsense`",
        "make it `async fn f`",
        "the only argument is `id`",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (message, part) in found.iter().zip(expected) {
        assert!(message.contains(part), "{message:?} has no {part:?}");
    }
}

#[test]
fn a_misspelled_option_is_not_reported_as_missing_too() {
    assert_eq!(messages("key = \"a\", tll = \"30s\"", "async fn f() {}").len(), 1);
    assert_eq!(messages("key = \"a\", ttl = \"3\"", "async fn f() {}").len(), 1);
    assert_eq!(messages("", "async fn f() {}").len(), 2);
}

#[test]
fn options_of_later_releases_are_refused_and_never_ignored() {
    for option in [
        "wait = \"5s\"",
        "wait = \"forever\"",
        "max_hold = \"1m\"",
        "once",
        "once = \"90d\"",
        "returns = \"outcome\"",
    ] {
        let found = messages(&format!("key = \"a\", ttl = \"30s\", {option}"), "async fn f() {}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("is not supported yet"), "{found:?}");
    }
    let found = messages("key = \"a\", within = tx", "async fn f(tx: T) {}");
    assert!(found.len() == 1 && found[0].contains("`within` is not supported yet"), "{found:?}");
}

#[test]
fn contradictions_name_both_options() {
    let cases = [
        ("within = tx, ttl = \"30s\"", "`ttl` contradicts `within`"),
        ("within = tx, backend = \"db\"", "`backend` contradicts `within`"),
        ("ttl = \"30s\", min_hold = \"2m\", max_hold = \"1m\"", "`max_hold` contradicts `min_hold`"),
        ("ttl = \"30s\", once, on_error = \"run\"", "contradicts `once`"),
        ("ttl = \"30s\", returns = \"outcome\", on_error = \"skip\"", "`on_error` contradicts `returns"),
    ];
    for (options, expected) in cases {
        let found = messages(&format!("key = \"a\", {options}"), "async fn f(tx: T) {}");
        assert!(found.iter().any(|message| message.contains(expected)), "{options}: {found:?}");
    }
}

#[test]
fn a_broken_option_hides_no_other() {
    let found = messages("key: \"a\", ttl = , on_lost = \"never\"", "async fn f() {}");
    assert_eq!(found.len(), 3, "{found:?}");
}
