#!/usr/bin/env bash
# Says clearly that Go is missing or too old; go.mod names the version. From 1.21 on, Go fetches that version itself.
set -euo pipefail
cd "$(dirname "$0")/.."

want=$(awk '$1 == "go" {print $2}' go.mod)
if ! command -v go >/dev/null; then
    echo "Go is not installed; fabriclab needs Go $want, or any from 1.21 on, which fetches it: https://go.dev/dl" >&2
    exit 1
fi
newest() { printf '%s\n' "$@" | sort -V | tail -n 1; }
own=$(cd / && GOTOOLCHAIN=local GOFLAGS='' go env GOVERSION 2>/dev/null || true)
own=${own#go}
own=${own%% *}
if [[ $(newest "$want" "${own:-0}") == "$own" ]]; then
    exit 0
fi
if [[ $(newest 1.21 "${own:-0}") != "$own" ]]; then
    echo "Go ${own:-of unknown version} is too old, and Go fetches a newer one only from 1.21 on; fabriclab needs Go $want (go.mod): https://go.dev/dl" >&2
    exit 1
fi
# Distributions set GOTOOLCHAIN=local; the Makefile asks for auto.
if ! why=$(GOFLAGS='' go version 2>&1); then
    echo "Go $own is too old and did not fetch Go $want (go.mod), which fabriclab needs: $why" >&2
    if [[ ${GOTOOLCHAIN:-} == local ]]; then
        echo "GOTOOLCHAIN=local forbids it: unset it, or install Go $want: https://go.dev/dl" >&2
    else
        echo "Give it a network or a GOPROXY, or install Go $want: https://go.dev/dl" >&2
    fi
    exit 1
fi
