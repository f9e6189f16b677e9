#!/usr/bin/env bash
# What 500 annotated functions cost to compile, against the same 500 under `#[tracing::instrument]`: CPU time of the crate
# that has them, measured side by side. Prints the ratio of each round and the median.
#
#   benches/compile_time.sh [ROUNDS]      (default 5)
#
# Targets: at most 0.6 for `cargo check` and 0.8 for `cargo build`.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
functions=500
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# crate NAME ATTRIBUTE DEPENDENCY: 500 functions of a few shapes.
crate() {
    local dir="$work/$1"
    mkdir -p "$dir/src"
    cat >"$dir/Cargo.toml" <<TOML
[package]
name = "$1"
version = "0.0.0"
edition = "2024"

[dependencies]
$3
tokio = { version = "1", features = ["time"] }

[workspace]
TOML
    {
        echo '//! Generated.'
        for n in $(seq "$functions"); do
            local attribute=${2//@/$n}
            case $((n % 3)) in
            0) echo "$attribute pub async fn f$n(id: u32) -> u32 { tokio::time::sleep(std::time::Duration::from_millis(1)).await; id + $n }" ;;
            1) echo "$attribute pub async fn f$n(id: u32, name: String) -> Result<usize, std::io::Error> { if id == $n { return Err(std::io::Error::other(\"x\")); } tokio::time::sleep(std::time::Duration::from_millis(1)).await; Ok(name.len()) }" ;;
            2) echo "$attribute pub async fn f$n(id: u32) { for step in 0..id { tokio::time::sleep(std::time::Duration::from_millis(u64::from(step))).await; } }" ;;
            esac
        done
        # Every future is made and erased, as by a spawn: else most of it would never be compiled.
        echo 'pub fn all() -> Vec<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>> { vec!['
        for n in $(seq "$functions"); do
            if [ $((n % 3)) -eq 1 ]; then args="1, String::new()"; else args="1"; fi
            echo "Box::pin(async { drop(f$n($args).await); }),"
        done
        echo ']}'
    } >"$dir/src/lib.rs"
    cp "$root/Cargo.lock" "$dir/Cargo.lock"
}

crate locked '#[dlock_runtime::singleton(key = "f@:{id}", ttl = "30s")]' "dlock-runtime = { path = \"$root/dlock-runtime\" }"
crate traced '#[tracing::instrument]' 'tracing = "0.1"'

# cpu NAME check|build: seconds of user and system time to compile that crate alone.
cpu() {
    touch "$work/$1/src/lib.rs"
    (
        cd "$work/$1"
        TIMEFORMAT='%U %S'
        { time cargo "$2" -q --target-dir "$work/target-$1" >/dev/null 2>"$work/err" || { cat "$work/err" >&2; exit 1; }; } 2>&1
    ) | awk '{ print $1 + $2 }'
}

for mode in check build; do
    cpu locked "$mode" >/dev/null
    cpu traced "$mode" >/dev/null
    for round in $(seq "$rounds"); do
        ours=$(cpu locked "$mode")
        theirs=$(cpu traced "$mode")
        echo "$mode $round $ours $theirs"
    done
done | awk '
    { ratio = $3 / $4; printf "%-5s round %d: %.2f s against %.2f s, ratio %.2f\n", $1, $2, $3, $4, ratio; all[$1] = all[$1] " " ratio }
    END {
        for (mode in all) {
            n = split(all[mode], r, " ")
            for (i = 2; i <= n; i++) for (j = i; j > 1 && r[j - 1] > r[j]; j--) { t = r[j]; r[j] = r[j - 1]; r[j - 1] = t }
            printf "cargo %s: median ratio %.2f\n", mode, r[int((n + 1) / 2)]
        }
    }'
