//! Durations as people write them: `"30s"`, `"1m 30s"`, `"1500ms"`.

/// What every message about a duration ends with.
const UNITS: &str = "units: ms, s, m, h, d";
const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The longest duration that every store can hold: 365 days. The runtime checks expressions against the same bound.
pub(crate) const MAX_MS: u64 = 365 * DAY;
/// The shortest lease: below it scheduling noise alone loses leases. The runtime checks expressions against the same bound.
pub(crate) const MIN_LEASE_MS: u64 = 100;
/// The shortest of the durations that are no lease.
pub(crate) const MIN_MS: u64 = 1;

/// Reads `text` as the value of the option `name`, in milliseconds, or says what is wrong with it.
pub(crate) fn parse(name: &str, text: &str, min_ms: u64) -> Result<u64, String> {
    let total = sum(name, text)?;
    if total == 0 {
        return Err(format!("`{name}` must not be zero: write a duration such as \"30s\" ({UNITS})"));
    }
    if total < u128::from(min_ms) {
        return Err(format!("`{name}` is too short: the least is \"{min_ms}ms\" ({UNITS})"));
    }
    match u64::try_from(total) {
        Ok(total) if total <= MAX_MS => Ok(total),
        _ => Err(format!("`{name}` is too long: the most is \"365d\" ({UNITS})")),
    }
}

/// What to say where the value of the option `name` is a literal without quotes.
pub(crate) fn unquoted(name: &str, written: &str) -> String {
    let digits: String = written.chars().filter(|c| *c != '_').collect();
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return format!("`{name}` needs a unit and quotes: write `{name} = \"{digits}s\"` ({UNITS})");
    }
    if sum(name, &digits).is_ok() {
        return format!("`{name}` needs quotes: write `{name} = \"{digits}\"`");
    }
    format!("`{name}` must be a duration such as \"30s\" ({UNITS}), or an expression of type `Duration`")
}

/// The sum of all parts, where every part is a number and a unit.
fn sum(name: &str, text: &str) -> Result<u128, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(format!("`{name}` is empty: write a duration such as \"30s\" ({UNITS})"));
    }
    if rest.starts_with(['-', '\u{2212}']) {
        return Err(format!("`{name}` must not be negative: write a duration such as \"30s\" ({UNITS})"));
    }
    let mut total: u128 = 0;
    let mut coarser = u64::MAX;
    while !rest.is_empty() {
        let (number, unit, after) = part(name, rest)?;
        let scale = scale(unit).ok_or_else(|| unknown_unit(name, unit))?;
        if scale >= coarser {
            return Err(format!(
                "`{name}` gives its units out of order: write each unit once, the largest first, as in \"1m 30s\""
            ));
        }
        coarser = scale;
        total = total.saturating_add(number.saturating_mul(u128::from(scale)));
        rest = after.trim_start();
    }
    Ok(total)
}

/// Splits the first number and its unit off; a number too long to count saturates.
fn part<'t>(name: &str, text: &'t str) -> Result<(u128, &'t str, &'t str), String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, after) = text.split_at(digits);
    if number.is_empty() {
        return Err(format!(
            "`{name}` is not a duration: write a number and a unit, such as \"30s\" ({UNITS})"
        ));
    }
    if after.starts_with(['.', ',']) {
        return Err(format!("`{name}` takes whole numbers: write \"1500ms\" instead of \"1.5s\" ({UNITS})"));
    }
    if after.starts_with('_') {
        return Err(format!(
            "`{name}` takes plain digits: write \"1000ms\" instead of \"1_000ms\" ({UNITS})"
        ));
    }
    let after = after.trim_start();
    let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
    let (unit, after) = after.split_at(letters);
    if unit.is_empty() {
        return Err(format!("`{name}` needs a unit: write `\"{number}s\"` ({UNITS})"));
    }
    Ok((number.parse().unwrap_or(u128::MAX), unit, after))
}

/// A unit in milliseconds.
fn scale(unit: &str) -> Option<u64> {
    Some(match unit {
        "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" => SECOND,
        "m" | "min" | "mins" | "minute" | "minutes" => MINUTE,
        "h" | "hr" | "hrs" | "hour" | "hours" => HOUR,
        "d" | "day" | "days" => DAY,
        _ => return None,
    })
}

fn unknown_unit(name: &str, unit: &str) -> String {
    match unit {
        "us" | "µs" | "μs" | "ns" => format!(
            "`{name}` is counted in milliseconds, `{unit}` is finer: write \"100ms\" or more ({UNITS})"
        ),
        _ if scale(&unit.to_lowercase()).is_some() => {
            format!("unknown unit `{unit}` in `{name}`: did you mean `{}`? ({UNITS})", unit.to_lowercase())
        }
        _ => format!("unknown unit `{unit}` in `{name}`: write a duration such as \"30s\" ({UNITS})"),
    }
}
