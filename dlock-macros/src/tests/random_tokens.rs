//! No input makes the macro panic: a bounded run over random attributes and items, the same in every run.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use super::rng::Rng;

const WORDS: [&str; 34] = [
    "key", "ttl", "wait", "min_hold", "max_hold", "once", "backend", "within", "on_error", "on_lost",
    "returns", "crate", "tll", "name", "self", "Self", "async", "fn", "unsafe", "extern", "pub", "impl",
    "dyn", "where", "mut", "ref", "struct", "return", "Result", "Pin", "Box", "Option", "a", "x",
];
const TEXTS: [&str; 14] = [
    "", "30s", "0s", "1.5s", "forever", "return", "skip", "jobs:{a}", "{", "}", "{x.0:?}", "{self.a}",
    "{é:>9}", "\0",
];
const OPTIONS: [&str; 12] = [
    "key = \"jobs:{a}\"",
    "ttl = \"30s\"",
    "ttl = 5",
    "key = a.b()?",
    "wait = \"forever\"",
    "once",
    "within = a",
    "returns = \"outcome\"",
    "on_error = \"run\"",
    "on_lost = \"continue\"",
    "crate = ::x",
    "backend = \"db\"",
];
const ITEMS: [&str; 12] = [
    "async fn f(a: u8) -> u8 { a }",
    "async fn f(self: Box<Self>, (a, x): (u8, u8)) -> Result<impl Iterator<Item = u8>, E> where A: B { #![allow(x)] a }",
    "fn f<'a, 'async_trait>(&'a self) -> Pin<Box<dyn Future<Output = Result<u8, E>> + Send + 'async_trait>> { Box::pin(async move { 1 }) }",
    "fn f<'async_trait>() -> Pin<Box<dyn X + 'async_trait>> {}",
    "fn f<'async_trait>() -> Pin<Box> {}",
    "pub(crate) unsafe extern \"C\" fn f() -> ! { loop {} }",
    "#[tokio::test] async fn f() {}",
    "async fn f();",
    "struct S;",
    "impl S {}",
    "async fn",
    "",
];

fn token(rng: &mut Rng, depth: usize) -> TokenTree {
    match rng.below(if depth == 0 { 6 } else { 8 }) {
        0..=2 => Ident::new(rng.one_of(&WORDS), Span::call_site()).into(),
        3 => Literal::string(rng.one_of(&TEXTS)).into(),
        4 => {
            let literals = [
                Literal::usize_unsuffixed(7),
                Literal::byte_string(b"x"),
                Literal::character('c'),
                Literal::f64_suffixed(1.5),
            ];
            literals[rng.below(literals.len())].clone().into()
        }
        5 => {
            let marks = ['=', ',', ':', '-', '>', '<', '&', '#', '!', '?', '.', ';', '+', '|'];
            let spacing = if rng.below(2) == 0 { Spacing::Alone } else { Spacing::Joint };
            Punct::new(marks[rng.below(marks.len())], spacing).into()
        }
        _ => {
            let delimiters = [Delimiter::None, Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket];
            Group::new(delimiters[rng.below(delimiters.len())], tokens(rng, depth - 1)).into()
        }
    }
}

fn tokens(rng: &mut Rng, depth: usize) -> TokenStream {
    (0..rng.below(10)).map(|_| token(rng, depth)).collect()
}

/// Takes a token out, puts one in, replaces one, or wraps some in an invisible group, here or further inside.
fn mutated(rng: &mut Rng, stream: TokenStream) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    let at = rng.below(trees.len() + 1);
    match (rng.below(5), trees.get(at).cloned()) {
        (0, Some(_)) => drop(trees.remove(at)),
        (1, Some(_)) => trees[at] = token(rng, 2),
        (2, Some(tree)) => trees[at] = Group::new(Delimiter::None, tree.into()).into(),
        (3, Some(TokenTree::Group(group))) => {
            trees[at] = Group::new(group.delimiter(), mutated(rng, group.stream())).into();
        }
        _ => trees.insert(at, token(rng, 2)),
    }
    trees.into_iter().collect()
}

#[test]
fn no_tokens_make_the_macro_panic() {
    let mut rng = Rng::seeded(6);
    for _ in 0..8_000 {
        let (attribute, item) = (tokens(&mut rng, 3), tokens(&mut rng, 3));
        crate::expand::expand(attribute, item);
    }
}

#[test]
fn no_mistake_in_a_real_use_makes_the_macro_panic() {
    let mut rng = Rng::seeded(7);
    for _ in 0..8_000 {
        let options: Vec<_> = (0..rng.below(5)).map(|_| rng.one_of(&OPTIONS)).collect();
        let mut attribute: TokenStream = options.join(", ").parse().expect("tokens");
        let mut item: TokenStream = rng.one_of(&ITEMS).parse().expect("tokens");
        for _ in 0..rng.below(3) {
            attribute = mutated(&mut rng, attribute);
            item = mutated(&mut rng, item);
        }
        crate::expand::expand(attribute, item);
    }
}
