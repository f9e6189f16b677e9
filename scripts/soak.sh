#!/usr/bin/env bash
# Looks for what the tests are too short for: simulated histories of many seeds, and real faults to real processes over
# a real server. Prints the figures of both; a failure prints its seed and how to run it again.
#
#     scripts/soak.sh [SEEDS [FAULTS]]        defaults: 20000 seeds, 1000 faults, about a quarter of an hour
#
# DLOCK_FROM is the first seed of the simulation, DLOCK_CHAOS_SEED the seed of the faults; both are new each time.
set -euo pipefail
cd "$(dirname "$0")/.."

seeds=${1:-20000}
faults=${2:-1000}
from=${DLOCK_FROM:-$(shuf -i 1000000-1000000000 -n 1)}
chaos_seed=${DLOCK_CHAOS_SEED:-$(shuf -i 1-1000000 -n 1)}

if ! command -v redis-server >/dev/null; then
    printf 'redis-server is missing: install it with `sudo apt-get install redis-server`\n' >&2
    exit 1
fi

failed=0

printf '== simulation: seeds %s to %s\n' "$from" "$((from + seeds - 1))"
DLOCK_SEEDS=$seeds DLOCK_FROM=$from cargo test --release -p dlock-tests --test sim -- \
    in_every_history --nocapture || failed=1

printf '\n== chaos: %s faults, seed %s\n' "$faults" "$chaos_seed"
DLOCK_CHAOS_FAULTS=$faults DLOCK_CHAOS_SEED=$chaos_seed cargo test -p dlock-tests --test chaos -- \
    whatever_fails --nocapture || failed=1

exit "$failed"
