#!/usr/bin/env bash
# Runs the unit tests of mechanisms/, and compares the project with ci/baselines: what differs is in
# results/regression.md and .xml, and fails. So does a record of docs/results whose sources or scenarios have changed.
#   regress.sh            with the fabriclab below, fetched and built in .cache
#   regress.sh PROGRAM    with this fabriclab
set -euo pipefail
url=@URL@
commit=@COMMIT@
cd "$(dirname "$0")/.."
program=${1:-}
if [[ -z $program ]]; then
    export XDG_CACHE_HOME=$PWD/.cache
    checkout=.cache/checkout
    git init -q "$checkout"
    if [[ $(git -C "$checkout" rev-parse -q --verify HEAD || true) != "$commit" ]]; then
        git -C "$checkout" fetch -q --depth 1 "$url" "$commit"
        git -C "$checkout" checkout -q --detach FETCH_HEAD
    fi
    make -s -C "$checkout" build # installs what is missing first
    program=$checkout/bin/fabriclab
fi
if [[ -n ${CI:-} ]]; then "$program" trust "$PWD"; fi # CI's checkout may belong to another user
mkdir -p results
status=0
if [[ -n $(find mechanisms -name '*_test.cc' 2>/dev/null) ]]; then "$program" test || status=$?; fi
"$program" compare -o results/regression.md -o results/regression.xml || status=$?
if [[ -d docs/results ]]; then "$program" docs stale --exit-code || status=$?; fi # it runs nothing
exit "$status"
