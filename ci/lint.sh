#!/usr/bin/env bash
# Format and style of Go and C++.
set -euo pipefail
cd "$(dirname "$0")/.."

# The version is fixed: a linter that changes by itself fails by itself.
golangci=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.2
status=0

unformatted=$(gofmt -l base harness analysis)
if [[ -n $unformatted ]]; then
    echo "not formatted (gofmt -w):" $unformatted >&2
    status=1
fi
go vet ./... || status=1
if command -v golangci-lint >/dev/null; then
    golangci-lint run ./... || status=1
else
    go run "$golangci" run ./... || status=1
fi
# Templates are formatted once their names are filled in.
mapfile -t sources < <(git ls-files '*.cc' '*.cpp' '*.h' '*.hpp' ':!harness/first/templates')
if ((${#sources[@]})); then
    clang-format --dry-run --Werror "${sources[@]}" || status=1
fi
exit $status
