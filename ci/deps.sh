#!/usr/bin/env bash
# Installs the Debian packages that fabriclab needs and that are missing. With
# all of them there it does nothing and needs no network.
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

packages=(make cmake ninja-build ccache g++ git ca-certificates
          libgtest-dev nlohmann-json3-dev zlib1g-dev "$@")
other_ns3 || packages+=(libns3-dev)

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
