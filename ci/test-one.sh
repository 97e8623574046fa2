#!/usr/bin/env bash
# Builds and runs the C++ tests whose names match a filter of GoogleTest, and no other program:
#   ci/test-one.sh 'Pfc*'     ci/test-one.sh 'Hpcc.*Window*:Timely.*'
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release
filter=${1:-}
[[ -n $filter ]] || { echo "test-one: which tests? Name suites as GoogleTest does: make test-one T='Pfc*'" >&2; exit 2; }
[[ -f $build/build.ninja ]] || bin/fabriclab build

# The suites of each file, beside the program that it is part of.
suites() {
    grep -HoE '^(TEST(_[FP])?|TYPED_TEST(_P)?)\(\w+' mechanisms/*/*_test.cc ns3-modules/test/*.cc omnet-modules/tests/*.cc |
        sed -E 's/:[A-Z_]+\(/ /' | sort -u | while read -r file suite; do
        case $file in
        ns3-modules/*) echo "ns3-tests $suite" ;;
        omnet-modules/*) echo "omnet-tests $suite" ;;
        *)
            if grep -q '"mechanisms/tests/controls.h"' "$file"; then echo "controls_test $suite"; else echo "$(basename "$file" .cc) $suite"; fi
            ;;
        esac
    done
}
declare -A programs=()
IFS=: read -ra patterns <<<"${filter%%-*}"
while read -r program suite; do
    for pattern in "${patterns[@]:-*}"; do
        pattern=${pattern%%.*}
        # shellcheck disable=SC2053 # a pattern; instances of TEST_P have a prefix
        if [[ $suite == $pattern || x/$suite == $pattern ]]; then programs[$program]=1; fi
    done
done < <(suites)
((${#programs[@]})) || { echo "test-one: no suite matches $filter; suites are named in mechanisms/*/*_test.cc" >&2; exit 2; }
ninja -C $build "${!programs[@]}"
status=0
for program in "${!programs[@]}"; do $build/bin/"$program" --gtest_filter="$filter" || status=$?; done
exit $status
