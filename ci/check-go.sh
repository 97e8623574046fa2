#!/usr/bin/env bash
# Says clearly that Go is missing or too old; go.mod names the version.
set -euo pipefail
cd "$(dirname "$0")/.."

want=$(awk '$1 == "go" {print $2}' go.mod)
if ! command -v go >/dev/null; then
    echo "Go is not installed; fabriclab needs Go $want or newer: https://go.dev/dl" >&2
    exit 1
fi
have=$(GOTOOLCHAIN=local GOFLAGS= go env GOVERSION 2>/dev/null || true)
have=${have#go}
have=${have%% *}
if [[ $(printf '%s\n' "$want" "${have:-0}" | sort -V | head -n 1) != "$want" ]]; then
    echo "Go ${have:-of unknown version} is too old; fabriclab needs Go $want or newer (go.mod): https://go.dev/dl" >&2
    exit 1
fi
