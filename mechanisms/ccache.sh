#!/bin/sh
# ccache.sh COMPILER ARG...: compiles through ccache (CMakeLists.txt names it as launcher).
# ccache goes by the contents of what the compiler read, not by what its preprocessor leaves: a precompiled header is made
# of exactly these files, or the compiler does not know them again in what it includes next; and a first build is spared
# the preprocessor. ccache takes an old precompiled header that lies there for an input, and then no header as a reason to
# compile anew: it goes first. Its sum stands beside it, as hashing 100 MB for each file costs a fifth of a first build.
export CCACHE_DEPEND=true CCACHE_PCH_EXTSUM=true
out=
header=
last=
for arg; do
  [ "$last" = -o ] && out=$arg
  [ "$arg" = c++-header ] && header=1
  last=$arg
done
[ -n "$header" ] || exec ccache "$@"
rm -f "$out" "$out.sum"
ccache "$@" && sha256sum <"$out" >"$out.sum"
