#!/usr/bin/env bash
# Parses all C++ with each of these compilers, and fails where one of them warns:
#   ci/warnings.sh [COMPILER...]      g++-12 … g++-14 and clang++-16 … clang++-19, those that are here, by default
# Warnings that need the optimiser come from builds with that compiler alone.
set -euo pipefail
cd "$(dirname "$0")/.."

compilers=("$@")
if ((${#compilers[@]} == 0)); then
    for compiler in g++-{12..14} clang++-{16..19}; do
        ! command -v "$compiler" >/dev/null || compilers+=("$compiler")
    done
fi
build=build/warnings
cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DFABRIC_TOGETHER=OFF >/dev/null
: >>$build/omnet-modules/embedded_ned.inc # is made by a program that would have to be compiled

# One line for each file: its flags and its name.
flags=$(sed -n 's/^ *"command": "\(.*\)",$/\1/p' $build/compile_commands.json |
    sed -E 's/\\"/"/g; s/\\\\/\\/g; s/^.*\/(g|clang|c)\+\+[^ ]* //; s/ -o [^ ]+ -c / -fsyntax-only /' | sort -u)
status=0
for compiler in "${compilers[@]}"; do
    log=$build/$compiler.log
    xargs -d '\n' -P "$(nproc)" -I '{}' sh -c "$compiler {}" <<<"$flags" >"$log" 2>&1 || status=1
    if grep -q 'warning:' "$log"; then status=1; fi
    echo "$compiler: $(wc -l <<<"$flags") files, $(grep -c 'warning:' "$log" || true) warnings, $(grep -c 'error:' "$log" || true) errors ($log)"
done
exit $status
