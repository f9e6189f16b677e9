//! The grammar of key templates.

use super::rng::Rng;
use crate::template::{Hole, Piece, parse};

fn hole(argument: &str, fields: &[&str], format: &str) -> Piece {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    Piece::Hole(Hole { argument: argument.to_owned(), fields, format: format.to_owned() })
}

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

#[test]
fn holes_name_arguments_fields_and_formats() {
    let cases = [
        ("jobs", vec![text("jobs")]),
        ("{id}", vec![hole("id", &[], "")]),
        ("a{{b}}c", vec![text("a{b}c")]),
        ("{{{id}}}", vec![text("{"), hole("id", &[], ""), text("}")]),
        ("a:{ id }", vec![text("a:"), hole("id", &[], "")]),
        ("{order.id}{pair.1.0}", vec![hole("order", &["id"], ""), hole("pair", &["1", "0"], "")]),
        ("{self.zone:>8}", vec![hole("self", &["zone"], ">8")]),
        (
            "{id:08}{kind:?}{x:#x}{f:+.3e}",
            vec![hole("id", &[], "08"), hole("kind", &[], "?"), hole("x", &[], "#x"), hole("f", &[], "+.3e")],
        ),
        ("{type}{r#type}", vec![hole("type", &[], ""), hole("type", &[], "")]),
        ("{größe:*^5}", vec![hole("größe", &[], "*^5")]),
    ];
    for (template, expected) in cases {
        assert_eq!(parse(template), (expected, Vec::new()), "{template:?}");
    }
}

#[test]
fn every_mistake_is_reported_once() {
    let cases = [
        ("{", 1, "is not closed"),
        ("a {b", 1, "is not closed"),
        ("a } b", 1, "closes no hole"),
        ("{a{b}", 1, "is not closed"),
        ("{}", 1, "names no argument"),
        ("{:?}", 1, "names no argument"),
        ("{.id}", 1, "names no argument"),
        ("{0}", 1, "more than an argument"),
        ("{a b}", 1, "more than an argument"),
        ("{a.b()}", 1, "more than an argument"),
        ("{a..b}", 1, "more than an argument"),
        ("{a.01}", 1, "more than an argument"),
        ("{_}", 1, "more than an argument"),
        ("{a/*b*/}", 1, "more than an argument"),
        ("{r#self}", 1, "more than an argument"),
        ("{a\u{2019}b}", 1, "more than an argument"),
        ("{a:width$}", 1, "unknown format"),
        ("{a:.*}", 1, "unknown format"),
        ("{a:p}", 1, "unknown format"),
        ("{a:q} {b:Q} }", 3, "unknown format"),
    ];
    for (template, count, expected) in cases {
        let (_, mistakes) = parse(template);
        assert_eq!(mistakes.len(), count, "{template:?}: {mistakes:?}");
        assert!(mistakes[0].contains(expected), "{template:?}: {mistakes:?}");
    }
}

#[test]
fn what_is_written_is_what_is_read() {
    let mut rng = Rng::seeded(3);
    for _ in 0..10_000 {
        let (mut template, mut pieces) = (String::new(), Vec::new());
        for _ in 0..rng.below(5) {
            let plain = rng.text(&["a", ":", "{", "}", "é", "\"", "\n", "."], 5);
            if !plain.is_empty() {
                template.push_str(&plain.replace('{', "{{").replace('}', "}}"));
                pieces.push(text(&plain));
            }
            let argument = rng.one_of(&["id", "self", "type", "größe", "_a"]);
            let fields: Vec<&str> =
                (0..rng.below(3)).map(|_| rng.one_of(&["0", "12", "name", "match"])).collect();
            let format = rng.one_of(&["", "08", "?", ">5", "*<3", "#?", "x", ".2"]);
            let path = fields.iter().fold(argument.to_owned(), |path, field| format!("{path}.{field}"));
            let colon = if format.is_empty() { "" } else { ":" };
            template.push_str(&format!("{{{path}{colon}{format}}}"));
            pieces.push(hole(argument, &fields, format));
        }
        assert_eq!(parse(&template), (pieces, Vec::new()), "{template:?}");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    let mut rng = Rng::seeded(4);
    let alphabet = [
        "{", "}", "{{", "}}", "a", "self", ".", ":", "0", "?", "r#", "$", " ", "é", "/*", "\"", "'", "\u{0}",
        "#", "_",
    ];
    for _ in 0..50_000 {
        let template = rng.text(&alphabet, 14);
        let (pieces, mistakes) = parse(&template);
        let has_braces = template.contains(['{', '}']);
        assert!(has_braces || mistakes.is_empty(), "{template:?}: {mistakes:?}");
        assert!(has_braces || template.is_empty() || pieces == [text(&template)], "{template:?}");
    }
}

/// The rule that the reference gives for texts: `{a:?}:{b:?}`.
#[test]
fn quoted_holes_never_make_the_same_key_of_different_texts() {
    let mut rng = Rng::seeded(5);
    let alphabet = ["a", ":", "\"", "\\", "\n", "é", "{", "}"];
    for _ in 0..50_000 {
        let [a, b, c, d] = [(); 4].map(|()| rng.text(&alphabet, 4));
        let same = format!("{a:?}:{b:?}") == format!("{c:?}:{d:?}");
        assert_eq!(same, (&a, &b) == (&c, &d), "{a:?} {b:?} {c:?} {d:?}");
    }
}

/// The rule that the reference gives for whole numbers: any text without a digit between them.
#[test]
fn plain_holes_never_make_the_same_key_of_different_whole_numbers() {
    let mut rng = Rng::seeded(8);
    let number = |rng: &mut Rng| {
        let digits = rng.below(4);
        let sign = if rng.below(3) == 0 { -1 } else { 1 };
        sign * i64::try_from(rng.below(10_usize.pow(digits as u32))).expect("small")
    };
    for _ in 0..50_000 {
        let between = rng.one_of(&[":", "-", "--", "+", ".", " ", "x", "e", "{", "/"]);
        let [a, b, c, d] = [(); 4].map(|()| number(&mut rng));
        let same = format!("{a}{between}{b}") == format!("{c}{between}{d}");
        assert_eq!(same, (a, b) == (c, d), "{a} {b} {c} {d} with {between:?}");
    }
}

/// Plain holes between texts make the same key: it is documented, and the reason for the rule of quoted holes.
#[test]
fn plain_holes_are_joined_as_they_are() {
    let joined = |a: &str, b: &str| format!("{a}:{b}");
    assert_eq!(joined("x:y", "z"), joined("x", "y:z"));
}

/// What the two rules are about is what the key is formatted with.
#[test]
fn holes_are_formatted_as_they_are_written() {
    let item: proc_macro2::TokenStream = "async fn f(a: String, b: String) {}".parse().expect("tokens");
    let function = crate::function::Function::parse(item).expect("a function");
    for (written, expected) in [("{a:?}:{b:?}", "{:?}:{:?}"), ("{a}{{{b:>3}", "{}{{{:>3}")] {
        let errors = crate::errors::Errors::default();
        let written = syn::LitStr::new(written, proc_macro2::Span::call_site());
        let template = crate::hole::resolve(&written, &function, &errors).expect("no mistake");
        assert_eq!(template.format, expected);
    }
}
