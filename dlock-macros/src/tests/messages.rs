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

#[test]
fn one_mistake_is_one_message() {
    let cases = [
        ("key = \"x\" \"y\", ttl = \"1s\"", "expected `,`"),
        ("key = x: 1, ttl = \"1s\"", "expected `,`"),
        ("key = \"a\", ttl = \"1s\", wait", "`wait` needs a value"),
        ("key = \"a\", ttl = \"1s\", wait = 5", "`wait` needs a unit"),
        ("key = \"a\", within = \"tx\"", "without quotes"),
        ("key = \"a\", ttl = \"1s\", returns = \"outcom\"", "`returns` must be one of"),
        ("key = \"{a:{{}\", ttl = \"1s\"", "is not closed"),
        ("kye = \"a\", ttl = \"1s\"", "did you mean `key`?"),
        ("key = \"a\", tlt = \"1s\"", "did you mean `ttl`?"),
    ];
    for (attribute, expected) in cases {
        let found = messages(attribute, "async fn f() {}");
        assert!(found.len() == 1 && found[0].contains(expected), "{attribute}: {found:?}");
    }
}

#[test]
fn a_duration_without_quotes_is_told_how_to_quote_it() {
    let cases = [
        ("30s", "write `ttl = \"30s\"`"),
        ("30", "write `ttl = \"30s\"`"),
        ("1_000", "write `ttl = \"1000s\"`"),
        ("-1", "must be a duration"),
        ("1.5", "must be a duration"),
        ("true", "must be a duration"),
    ];
    for (value, expected) in cases {
        let found = messages(&format!("key = \"a\", ttl = {value}"), "async fn f() {}");
        assert!(found.len() == 1 && found[0].contains(expected), "{value}: {found:?}");
    }
}

#[test]
fn a_text_that_is_not_the_whole_key_is_no_template() {
    let refused = [
        "concat!(\"jobs:\", \"{id}\")",
        "concat!(concat!(\"{id}\"))",
        "stringify!(jobs:{id})",
        "\"jobs:{id}\".to_owned()",
        "String::from(\"jobs:{id}\")",
        "&\"jobs:{id}\".to_string()",
        "if id > 1 { \"jobs:{id}\" } else { \"jobs\" }",
        "match id { 1 => \"jobs:{id}\", _ => \"jobs\" }",
    ];
    for key in refused {
        let found = messages(&format!("key = {key}, ttl = \"30s\""), "async fn f(id: u8) {}");
        assert!(found.len() == 1 && found[0].contains("stays as it is"), "{key}: {found:?}");
    }
    let taken = ["concat!(\"jobs:\", \"a\")", "format!(\"jobs:{id}\")", "names.replace(\"{id}\", id)", "KEY"];
    for key in taken {
        let found = messages(&format!("key = {key}, ttl = \"30s\""), "async fn f(id: u8) {}");
        assert!(found.is_empty(), "{key}: {found:?}");
    }
}

#[test]
fn a_template_in_parentheses_or_braces_is_a_template() {
    for key in ["(\"jobs:{who}\")", "{ \"jobs:{who}\" }", "{ ((\"jobs:{who}\")) }"] {
        let found = messages(&format!("key = {key}, ttl = (\"30s\")"), "async fn f(id: u8) {}");
        assert!(found.len() == 1 && found[0].contains("`{who}`"), "{key}: {found:?}");
    }
}

#[test]
fn a_signature_that_the_compiler_refuses_is_not_refused_twice() {
    for item in
        ["async fn f(x) {}", "async fn f(a: Map<u8, u8>, x) {}", "async fn f<F: Fn(u8)>(&self, x: u8 = 1) {}"]
    {
        assert!(refused(item).is_empty(), "{item}");
    }
    for item in ["async fn f<F: Fn(u8)>(x: nothing!) -> {}", "fn f(x) {}"] {
        assert!(!refused(item).is_empty(), "{item}");
    }
}

/// Our messages about an item that cannot be parsed.
fn refused(item: &str) -> String {
    let printed = expand("key = \"a\", ttl = \"30s\"", item).to_string();
    printed.split("compile_error").skip(1).collect()
}

#[test]
fn a_second_singleton_is_refused_and_not_expanded() {
    let item = "#[dlock_runtime::singleton(key = \"b\", ttl = \"1s\")] async fn f() {}";
    let found = messages("key = \"a\", ttl = \"30s\"", item);
    assert!(found.len() == 1 && found[0].contains("given twice"), "{found:?}");
    assert!(!expand("key = \"a\", ttl = \"30s\"", item).to_string().contains("singleton ("));
}

#[test]
fn err_of_instrument_below_names_the_order() {
    for settings in ["err", "skip_all, err(Debug)", "ret, err"] {
        let found = messages(
            "key = \"a\", ttl = \"30s\"",
            &format!("#[tracing::instrument({settings})] async fn f() -> io::Result<u8> {{}}"),
        );
        assert!(found.len() == 1 && found[0].contains("above `#[singleton]`"), "{found:?}");
    }
    assert!(messages("key = \"a\", ttl = \"30s\"", "#[instrument(ret)] async fn f() -> u8 {}").is_empty());
}

#[test]
fn on_error_return_needs_a_type_that_can_be_a_result() {
    for output in ["", "-> u8", "-> ()", "-> (u8, u8)", "-> Option<u8>", "-> !", "-> &str", "-> impl Debug"] {
        let found = messages(
            "key = \"a\", ttl = \"30s\", on_error = \"return\"",
            &format!("async fn f() {output} {{}}"),
        );
        assert!(
            found.len() == 1 && found[0].contains("needs a function that returns a `Result`"),
            "{output}: {found:?}"
        );
    }
    for output in ["-> JobResult<u8>", "-> fmt::Result", "-> (Result<u8, E>)"] {
        let found = messages(
            "key = \"a\", ttl = \"30s\", on_error = \"return\"",
            &format!("async fn f() {output} {{}}"),
        );
        assert!(found.is_empty(), "{output}: {found:?}");
    }
}
