# Compiles a function that calls one that only fetches, and looks for the fetch. GCC takes such a function for one without
# effects and drops the call, unless FetchAhead::memory() prevents it.
set(dir ${CMAKE_CURRENT_BINARY_DIR}/fetch-ahead)
file(WRITE ${dir}/test.cc "
#include \"mechanisms/core/fetch_ahead.h\"
__attribute__((noinline)) static void fetch(const fabric::Packet& p) { fabric::FetchAhead::packet(p); }
void use(const fabric::Packet& p) { fetch(p); }
")
execute_process(COMMAND ${COMPILER} -std=c++17 -O3 -I${SOURCES} -S ${dir}/test.cc -o ${dir}/test.s RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${dir}/test.cc does not compile")
endif()
file(STRINGS ${dir}/test.s fetches REGEX "prefetch|prfm|pld")
list(LENGTH fetches n)
if(NOT n EQUAL 2)
  message(FATAL_ERROR "${n} fetches in ${dir}/test.s, not 2: the compiler has dropped them (mechanisms/core/fetch_ahead.h)")
endif()
