#!/usr/bin/env bash
# Runs every fuzz target for a time (default 20s). What it finds is kept in
# testdata/fuzz of the target's package, where `go test` runs it again.
set -euo pipefail

time=${1:-20s}
status=0
while IFS=: read -r file target; do
    package=./$(dirname "$file")
    echo "== $package $target ($time)"
    # Without a bound, making one input smaller may take a minute.
    go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s | tail -n 3 || status=1
done < <(grep -rho --include='*_test.go' -H '^func Fuzz[A-Za-z]*' . | sed -e 's,^\./,,' -e 's/func //' | sort)
exit $status
