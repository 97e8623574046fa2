#!/usr/bin/env bash
# Runs README's commands on bare systems, and compares the tables with those of this machine (root; needs debootstrap):
#   ci/portability.sh [SYSTEM...]     debian-12 debian-13 ubuntu-22.04 ubuntu-24.04 ubuntu-26.04; all of them by default
#   ci/portability.sh dockerfile      the Dockerfile's RUN lines, one by one, in a chroot of what they begin with, or of
#                                     Debian 13 where that is not reachable
# A system is a chroot in PORTABILITY_DIR (/opt/portability), made anew each time. Debian comes from where this machine's
# apt has it, Ubuntu from archive.ubuntu.com. PORTABILITY_TEST is what of `make test` is run: test-cpp by default.
# A system whose archive is not reachable is skipped, and the last lines say so.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${PORTABILITY_DIR:-/opt/portability}
tests=${PORTABILITY_TEST-test-cpp}
declare -A suites=([debian-12]=bookworm [debian-13]=trixie
                   [ubuntu-22.04]=jammy [ubuntu-24.04]=noble [ubuntu-26.04]=resolute)
systems=("$@")
((${#systems[@]})) || systems=(debian-12 debian-13 ubuntu-22.04 ubuntu-24.04 ubuntu-26.04)

die() { echo "portability: $*" >&2; exit 1; }
for system in "${systems[@]}"; do
    [[ -n ${suites[$system]:-} || $system == dockerfile ]] || die "unknown system $system; known are ${!suites[*]} dockerfile"
done
((EUID == 0)) || die "a chroot is root's to make: run it as root"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

mounted=()
unmount() {
    local i
    for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do umount "${mounted[i]}" || umount -l "${mounted[i]}"; done
    mounted=()
}
trap unmount EXIT
trap 'exit 130' INT TERM HUP

# mounts TYPE-AND-OPTIONS... SOURCE TARGET
mounts() {
    local at="${*: -1}"
    mkdir -p "$at"
    mount "$@"
    mounted+=("$at")
}

# Where this machine's apt has Debian from.
debian_mirror() {
    apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 !~ /-/ {print $3; exit}'
}

# How Go and apt reach their servers from here is how they do there.
environment() {
    local name
    for name in GOPROXY GONOPROXY GOSUMDB GONOSUMDB GOPRIVATE; do
        echo "$name=$(go env "$name")"
    done
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [[ -z ${!name:-} ]] || echo "$name=${!name}"
    done
}

# The hashes of a figure's tables, by run. The manifests name the machine and the build, the tables do not.
tables() { (cd "$1/results" && find . -name '*.parquet' -print0 | sort -z | xargs -0 -r sha256sum); }

# Where this machine's tables of an engine are; makes them.
here() {
    local out="$dir/here-$1"
    if [[ ! -e $out ]]; then
        bin/fabriclab figure fncc/fig10 --scale quick --engine "$1" --out "$out/results" >"$out.log" 2>&1 ||
            die "it fails on this machine: $out.log"
    fi
    echo "$out"
}

# A copy of the sources as they are, without what was built.
sources() {
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$1"
}

# Runs a command in the chroot, with how long it took as the last line of its log.
inside() {
    local root=$1 log=$2 begin=$SECONDS status=0
    shift 2
    chroot "$root" env -i "${env[@]}" sh -c "cd /fabriclab && $*" >"$log" 2>&1 || status=$?
    echo "$* took $((SECONDS - begin)) s and ended with $status" | tee -a "$log" >&2
    return "$status"
}

# Makes a system's chroot at `root`, with the sources in it; sets `env`. Where it cannot, `said` says why.
make_root() {
    local system=$1 suite=${suites[$1]} options=(--variant=minbase) mirror=() path=/usr/sbin:/usr/bin:/sbin:/bin
    if [[ $system == debian-* ]]; then
        mirror=("$(debian_mirror)")
        [[ -n ${mirror[0]} ]] || { said="skipped: this machine's apt has no Debian"; return 1; }
    else
        options+=(--components=main,universe) # as its images have
        # The script of all of Ubuntu's releases, as a debootstrap may be older than one.
        mirror=(http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy)
    fi
    rm -rf --one-file-system "$root"
    if ! debootstrap "${options[@]}" "$suite" "$root" "${mirror[@]}" >"$log.bootstrap.log" 2>&1; then
        said="skipped: debootstrap did not get it ($log.bootstrap.log)"
        return 1
    fi
    mounts -t proc proc "$root/proc"
    mounts --bind /dev "$root/dev"
    mounts -t tmpfs tmpfs "$root/tmp"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/these.crt"
    case $system in
    debian-12 | ubuntu-22.04) # their Go is too old: the one that is installed by hand
        mounts --bind -o ro "$(go env GOROOT)" "$root/usr/local/go"
        path=/usr/local/go/bin:$path
        ;;
    esac
    mapfile -t env < <(environment)
    env+=(PATH="$path" HOME=/root LANG=C.UTF-8 SSL_CERT_FILE=/etc/these.crt)
    sources "$root/fabriclab"
}

# Sets the global `said`.
try() {
    local root="$dir/$1" log="$dir/$1" env figure second begin
    make_root "$1" || return 0
    if ! inside "$root" "$log.make.log" 'apt-get update -q && apt-get install -y -q --no-install-recommends make git ca-certificates'; then
        said="FAILED: apt-get install make git ($log.make.log)"
        return
    fi
    begin=$SECONDS
    if ! inside "$root" "$log.figure.log" make figure FIG=fncc/fig10; then
        said="FAILED: make figure ($log.figure.log)"
        return
    fi
    figure=$((SECONDS - begin)) begin=$SECONDS
    if grep -qE '\.(cc|h):[0-9:]+ warning:' "$log.figure.log"; then
        said="FAILED: the compiler warns ($log.figure.log)"
        return
    fi
    inside "$root" "$log.second.log" make figure FIG=fncc/fig10 || { said="FAILED: a second make figure ($log.second.log)"; return; }
    second=$((SECONDS - begin))
    said="$(chroot "$root" sh -c 'dpkg-query -W -f "ns-3 \${Version}, " libns3-dev 2>/dev/null; g++ --version | head -n 1')"
    said+="; make figure: $figure s, again: $second s"
    local engine
    engine=$(find "$root/fabriclab/results/fncc" -name '*-seed1' -printf '%f\n' -quit)
    if diff <(tables "$(here "${engine%-*}")") <(tables "$root/fabriclab") >"$log.tables.diff"; then
        said+="; its $(tables "$root/fabriclab" | wc -l) tables, of ${engine%-*}, are those of this machine"
    else
        said="FAILED: tables differ ($log.tables.diff); $said"
        return
    fi
    [[ -n $tests ]] || return 0
    begin=$SECONDS
    if inside "$root" "$log.test.log" make $tests; then
        said+="; make $tests: $((SECONDS - begin)) s"
    else
        said="FAILED: make $tests ($log.test.log); $said"
    fi
}

# The RUN lines of the Dockerfile's last stage.
run_lines() {
    sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' Dockerfile | awk '$1 == "FROM" {n = 0} $1 == "RUN" {$1 = ""; line[n++] = $0}
        END {for (i = 0; i < n; i++) print line[i]}'
}

replay_dockerfile() {
    local root="$dir/dockerfile" log="$dir/dockerfile" env image line lines base n=0
    image=$(awk '$1 == "FROM" {image = $2} END {print image}' Dockerfile)
    base=${image/:/-}
    if ! make_root "$base"; then
        base=debian-13
        make_root "$base" || return 0
    fi
    mapfile -t lines < <(run_lines)
    for line in "${lines[@]}"; do
        n=$((n + 1))
        inside "$root" "$log.$n.log" "$line" || { said="FAILED: $line ($log.$n.log), on $base"; return; }
    done
    inside "$root" "$log.figure.log" make figure FIG=fncc/fig10 || { said="FAILED: make figure ($log.figure.log), on $base"; return; }
    said="its $n RUN lines and make figure run on $base (it begins with $image)"
}

mkdir -p "$dir"
make -s bin/fabriclab
rm -rf "$dir"/here-*

failed=0
report=()
for system in "${systems[@]}"; do
    echo "portability: $system" >&2
    said="FAILED"
    if [[ $system == dockerfile ]]; then replay_dockerfile; else try "$system"; fi
    unmount
    report+=("$system: $said")
    [[ $said != FAILED* ]] || failed=1
done
printf '%s\n' "${report[@]}"
exit "$failed"
