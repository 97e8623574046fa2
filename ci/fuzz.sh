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
    if out=$(go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s 2>&1); then
        tail -n 3 <<<"$out"
    # Go may call it a failure that the time is over while its workers still
    # begin. What fails comes with the input that makes it fail.
    elif grep -q '^ *context deadline exceeded$' <<<"$out" && ! grep -q 'Failing input written' <<<"$out"; then
        echo "the time was over before its workers had begun"
    else
        echo "$out"
        status=1
    fi
done < <(grep -rho --include='*_test.go' -H '^func Fuzz[A-Za-z]*' . | sed -e 's,^\./,,' -e 's/func //' | sort)
exit $status
