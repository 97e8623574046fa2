#!/bin/sh
# ccache.sh COMPILER ARG...: compiles through ccache (CMakeLists.txt names it as launcher).
# ccache takes a precompiled header that is there for one that the compiler reads, and then no header as a reason to
# compile anew. Where one is to be made, the old one goes first.
out=
header=
for arg; do
  [ "$last" = -o ] && out=$arg
  [ "$arg" = c++-header ] && header=1
  last=$arg
done
[ -z "$header" ] || rm -f "$out"
exec ccache "$@"
