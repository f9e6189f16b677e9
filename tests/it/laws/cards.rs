//! docs/guarantees.md promises nothing that no test holds.

use std::path::{Path, PathBuf};

const CARDS: &str = include_str!("../../../docs/guarantees.md");
/// The test binaries whose tests may be named.
const BINARIES: [&str; 3] = ["it::", "sim::", "chaos::"];

/// What a text has in code font, where it is the path of a test.
fn named_tests(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2);
    code.filter(|code| BINARIES.iter().any(|binary| code.starts_with(binary))).collect()
}

/// The file of a module of a test binary: `it::laws::taken` is `tests/it/laws/taken.rs`.
fn file_of(module: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut path = tests.to_owned();
    path.extend(module.split("::"));
    if path.is_dir() && path.join("main.rs").exists() {
        path.join("main.rs")
    } else {
        path.with_extension("rs")
    }
}

/// Why there is no such test, if there is none.
fn missing(test: &str) -> Option<String> {
    let (module, name) = test.rsplit_once("::")?;
    let file = file_of(module);
    let Ok(text) = std::fs::read_to_string(&file) else {
        return Some(format!("{test}: there is no {}", file.display()));
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_it = |line: &str| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("fn ").is_some_and(|rest| rest.starts_with(&format!("{name}()")))
    };
    let at = lines.iter().position(|line| is_it(line));
    let is_test = at.is_some_and(|at| {
        let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        attributes.into_iter().any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
    });
    (!is_test).then(|| format!("{test}: {} has no such test", file.display()))
}

/// The rows of a card, each with the heading under which it stands.
fn rows() -> Vec<(&'static str, &'static str)> {
    let mut heading = "";
    let mut rows = Vec::new();
    for line in CARDS.lines() {
        heading = line.strip_prefix("## ").unwrap_or(heading);
        let is_row = line.starts_with("| ") && !line.starts_with("| what happens");
        rows.extend(is_row.then_some((heading, line)));
    }
    rows
}

#[test]
fn every_line_of_a_card_names_tests_that_exist() {
    for (heading, row) in rows() {
        assert_eq!(row.matches(" | ").count(), 2, "{heading}: {row}");
        let held_by = row.rsplit(" | ").next().unwrap_or_default();
        assert!(!named_tests(held_by).is_empty(), "{heading}: nothing holds this: {row}");
    }
    for card in ["Redis", "Local", "Memory"] {
        assert!(rows().iter().filter(|(heading, _)| *heading == card).count() >= 6, "the card of {card}");
    }
    let missing: Vec<String> = named_tests(CARDS).into_iter().filter_map(missing).collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_test_that_does_not_exist_is_noticed() {
    assert_eq!(missing("it::laws::cards::a_test_that_does_not_exist_is_noticed"), None);
    assert_eq!(
        missing("sim::in_every_history_a_body_takes_no_step_without_its_lease_and_nothing_is_left"),
        None
    );
    for no_test in
        ["it::laws::cards::missing", "it::laws::cards::nowhere", "it::laws::nowhere::a", "sim::number"]
    {
        assert!(missing(no_test).is_some(), "{no_test}");
    }
}
