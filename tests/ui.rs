//! What the compiler tells a user whose attribute is wrong, and that it accepts what is right.

use std::process::Command;

/// The release whose messages are recorded in `ui/fail`. Other releases word them differently.
const RECORDED: &str = "rustc 1.95.";

/// Cases that compile and run, grouped by theme since each is a binary of its own.
#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("ui/pass/*.rs");
}

/// One case for each rule. Record anew with `TRYBUILD=overwrite`.
#[test]
fn every_mistake_is_told_where_it_is() {
    match compiler() {
        Ok(version) if version.starts_with(RECORDED) => {
            trybuild::TestCases::new().compile_fail("ui/fail/*.rs")
        }
        Ok(version) => {
            println!("skipped: the messages of {RECORDED}x are recorded, this is {}", version.trim())
        }
        Err(error) => panic!("the compiler does not tell its version: {error}"),
    }
}

/// The version of the compiler that the cases are compiled with.
fn compiler() -> std::io::Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
