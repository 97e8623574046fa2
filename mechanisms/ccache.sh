#!/bin/sh
# ccache.sh COMPILER ARG...: compiles through ccache (CMakeLists.txt names it as launcher).
# A precompiled header is made of exactly these files, or the compiler does not know them again in what it includes next:
# so it is kept by their contents (CCACHE_DEPEND), not by what the preprocessor leaves of them. And ccache takes an old
# one that lies there for an input, and then no header as a reason to compile anew: it goes first.
out=
header=
last=
for arg; do
  [ "$last" = -o ] && out=$arg
  [ "$arg" = c++-header ] && header=1
  last=$arg
done
if [ -n "$header" ]; then
  rm -f "$out"
  export CCACHE_DEPEND=true
fi
exec ccache "$@"
