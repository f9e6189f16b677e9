#!/usr/bin/env bash
# Checks everything: formatting, lints, docs, all tests, and all examples for real.
# Needs a Rust toolchain; installs redis-server by apt where it is missing and it may, else says how.
set -euo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
log=$(mktemp -d)
redis_pid=""
cleanup() {
    if [ -n "$redis_pid" ]; then kill "$redis_pid" 2>/dev/null || true; fi
    rm -rf "$log"
}
trap cleanup EXIT

# step NAME COMMAND..: runs it, shows its output, counts it.
step() {
    local name=$1
    shift
    printf '\n== %s\n' "$name"
    if "$@" 2>&1 | tee "$log/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures="${failures:-}  failed: $name"$'\n'
    fi
}

# tests NAME COMMAND..: the same, and counts the tests that it ran.
tests() {
    local before=$failed
    step "$@"
    local ok bad
    ok=$(awk '/^test result:/ { n += $4 } END { print n + 0 }' "$log/out")
    bad=$(awk '/^test result:/ { n += $6 } END { print n + 0 }' "$log/out")
    if [ "$ok" -eq 0 ] && [ "$failed" -eq "$before" ]; then
        printf 'no test was run\n'
        passed=$((passed - 1))
        failed=$((failed + 1))
        return
    fi
    # The step itself was counted as one; its tests stand for it.
    if [ "$failed" -eq "$before" ]; then passed=$((passed - 1 + ok)); else
        passed=$((passed + ok))
        failed=$((failed - 1 + (bad > 0 ? bad : 1)))
    fi
}

need() {
    local program=$1 package=$2
    if command -v "$program" >/dev/null; then return; fi
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        printf '== installing %s\n' "$package"
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null
    fi
    if ! command -v "$program" >/dev/null; then
        printf '%s is missing: install it with `sudo apt-get install %s`\n' "$program" "$package" >&2
        exit 1
    fi
}

# A redis-server of our own for the examples, on a free port below the ephemeral range.
start_redis() {
    local port
    for port in $(shuf -i 20000-29999 -n 20); do
        redis-server --port "$port" --bind 127.0.0.1 --save "" --appendonly no --dir "$log" >"$log/redis" 2>&1 &
        redis_pid=$!
        local tries
        for tries in $(seq 100); do
            if [ "$(redis-cli -p "$port" ping 2>/dev/null)" = PONG ] && kill -0 "$redis_pid" 2>/dev/null; then
                redis_url="redis://127.0.0.1:$port"
                return
            fi
            kill -0 "$redis_pid" 2>/dev/null || break
            sleep 0.05
        done
        kill "$redis_pid" 2>/dev/null || true
    done
    printf 'redis-server cannot be started:\n' >&2
    cat "$log/redis" >&2
    exit 1
}

need redis-server redis-server

step "formatting" cargo fmt --all --check
step "lints" cargo clippy --workspace --all-targets --all-features -- -D warnings
step "lints without default features" cargo clippy -p dlock-runtime --no-default-features -- -D warnings
step "docs" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features
tests "tests" cargo test --workspace --all-features --no-fail-fast

case "$(rustc --version)" in
"rustc 1.95."*) ;;
*) printf 'note: the messages of the macro were not compared: they are recorded for rustc 1.95\n' ;;
esac

start_redis
step "example quickstart" cargo run -q --example quickstart
step "example invoice_reminders" cargo run -q --example invoice_reminders
step "example invoice_reminders over redis" cargo run -q --example invoice_reminders -- --url "$redis_url"
step "example redis" cargo run -q --example redis -- "$redis_url"

printf '\n%s' "${failures:-}"
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
