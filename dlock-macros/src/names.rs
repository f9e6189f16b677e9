//! The options' names, how each is written, and which one was probably meant.

use syn::Ident;

/// Every option, with an example of its use.
const OPTIONS: [(&str, &str); 12] = [
    ("key", "key = \"jobs:{tenant}\""),
    ("ttl", "ttl = \"30s\""),
    ("wait", "wait = \"5s\""),
    ("min_hold", "min_hold = \"10s\""),
    ("max_hold", "max_hold = \"5m\""),
    ("once", "once = \"90d\""),
    ("backend", "backend = \"db\""),
    ("within", "within = tx"),
    ("on_error", "on_error = \"skip\""),
    ("on_lost", "on_lost = \"stop\""),
    ("returns", "returns = \"outcome\""),
    ("crate", "crate = ::dlock_runtime"),
];

/// What other locks call it.
const SYNONYMS: [(&str, &str); 14] = [
    ("name", "key"),
    ("lock", "key"),
    ("resource", "key"),
    ("timeout", "ttl"),
    ("lease", "ttl"),
    ("expire", "ttl"),
    ("expiry", "ttl"),
    ("duration", "ttl"),
    ("at_least", "min_hold"),
    ("lock_at_least_for", "min_hold"),
    ("at_most", "max_hold"),
    ("lock_at_most_for", "max_hold"),
    ("store", "backend"),
    ("transaction", "within"),
];

/// What to say where a value is missing.
pub(crate) fn needs_value(name: &Ident) -> String {
    format!("`{name}` needs a value: write `{}`", example(name))
}

/// How an option is written.
pub(crate) fn example(name: &Ident) -> &'static str {
    OPTIONS.iter().find(|(option, _)| name == option).map_or(OPTIONS[0].1, |(_, example)| example)
}

/// What to say about an option that does not exist.
pub(crate) fn unknown(name: &str, nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("unknown option `{name}`: did you mean `{nearest}`?"),
        None => format!("unknown option `{name}`: the options are {}", all()),
    }
}

pub(crate) fn all() -> String {
    OPTIONS.map(|(name, _)| format!("`{name}`")).join(", ")
}

/// The option that was probably meant.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches("r#").to_lowercase().replace('-', "_");
    if let Some((_, option)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == name) {
        return Some(option);
    }
    let (distance, option) = OPTIONS.iter().map(|(option, _)| (distance(&name, option), *option)).min()?;
    (distance <= (option.len() / 3).max(1)).then_some(option)
}

/// Edits (insert, remove, replace, or swap two neighbors) between two names.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // rows[i][j] is the distance between the first i of `a` and the first j of `b`.
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(row[j - 1] + 1).min(rows[i - 1][j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
