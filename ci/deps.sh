#!/usr/bin/env bash
# Installs the packages of Debian or Ubuntu that fabriclab needs and that are missing. With
# all of them there it does nothing and needs no network.
#   deps.sh [PACKAGE...]   what is compiled with, and these
#   deps.sh go             Go, if there is none and the distribution's can fetch the one that go.mod names
set -euo pipefail

# Another ns-3 than the distribution's is named, or is where the build takes it from before.
other_ns3() {
    [[ -n ${FABRICLAB_NS3:-}${ns3_DIR:-} ]] && return
    local dir=$PWD prefix prefixes
    while # the working directory and those above it, as the settings file is looked for
        grep -qsE '^ns3: *[^ #]' "$dir/fabriclab.yaml" && return
        [[ $dir != / ]]
    do dir=$(dirname "$dir"); done
    IFS=: read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}"
    for prefix in "${prefixes[@]}" /usr/local; do
        [[ -e $prefix/include/ns3/core-module.h || -e $prefix/build/include/ns3/core-module.h ]] && return
    done
    return 1
}

# Go is there, or the distribution's is too old to fetch another one.
no_go_to_install() {
    command -v go >/dev/null && return
    apt-cache show golang-go >/dev/null 2>&1 || as_root apt-get update -q
    local version
    version=$(apt-cache policy golang-go | awk '$1 == "Candidate:" {sub(/^[0-9]+:/, "", $2); print $2}')
    if [[ $(printf '%s\n' 1.21 "${version:-0}" | sort -V | tail -n 1) == 1.21 ]]; then
        echo "deps: the Go of this system is ${version:-unknown}, and only from 1.21 on Go fetches the one that go.mod names" >&2
        return
    fi
    return 1
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "deps: missing: ${missing[*]:-golang-go}; install them as root: apt-get install ${missing[*]:-golang-go}" >&2
        exit 1
    fi
}

if [[ ${1:-} == go ]]; then
    packages=(ca-certificates)
else
    packages=(make cmake ninja-build ccache g++ git libgtest-dev nlohmann-json3-dev zlib1g-dev "$@")
    other_ns3 || packages+=(libns3-dev)
fi

if ! command -v dpkg-query >/dev/null; then
    if [[ ${1:-} != go ]]; then
        echo "deps: this system has no Debian packages; install yourself: ${packages[*]}" >&2
        echo "deps: then see what is still missing with: bin/fabriclab doctor" >&2
    fi
    exit 0
fi
if [[ ${1:-} == go ]] && ! no_go_to_install; then
    packages+=(golang-go)
fi

missing=()
for package in "${packages[@]}"; do
    # One line for each architecture.
    if ! grep -qx installed < <(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null); then
        missing+=("$package")
    fi
done
if ((${#missing[@]} == 0)); then
    exit 0
fi

echo "deps: installing ${missing[*]}"
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
# Package lists may be absent (a fresh container) or out of date.
if ! apt-cache show "${missing[@]}" >/dev/null 2>&1 || ! as_root "${install[@]}"; then
    as_root apt-get update -q
    as_root "${install[@]}"
fi
