#!/usr/bin/env bash
# Installs the Debian packages that fabriclab needs and that are missing. With
# all of them there it does nothing and needs no network.
set -euo pipefail

# Debian's find_package(ns3) refuses to work without the programs in `ns3`.
packages=(make cmake ninja-build ccache g++ git ca-certificates
          libns3-dev ns3 libgtest-dev nlohmann-json3-dev zlib1g-dev "$@")

if ! command -v dpkg-query >/dev/null; then
    echo "deps: this is no Debian system; install yourself: ${packages[*]}" >&2
    echo "deps: then see what is still missing with: bin/fabriclab doctor" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) != installed ]]; then
        missing+=("$package")
    fi
done
if ((${#missing[@]} == 0)); then
    exit 0
fi

sudo=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "deps: missing: ${missing[*]}; install them as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    sudo=(sudo)
fi

echo "deps: installing ${missing[*]}"
install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
# Package lists may be absent (a fresh container) or out of date.
if ! apt-cache show "${missing[@]}" >/dev/null 2>&1 || ! "${install[@]}"; then
    "${sudo[@]}" apt-get update -q
    "${install[@]}"
fi
