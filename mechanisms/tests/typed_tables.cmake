# Rows and tables that have to be refused by the compiler, each with the words of its refusal, and one that is right.
set(dir ${CMAKE_CURRENT_BINARY_DIR}/typed-tables)

function(compile name code)
  file(WRITE ${dir}/${name}.cc "
#include \"mechanisms/core/trace.h\"
using namespace fabric;
using Windows = Table<Time, uint32_t, Bytes, double>;
void rows(TraceBus& bus, Windows::Id table, Time now, uint32_t flow, int64_t window) { ${code} }
")
  execute_process(COMMAND ${COMPILER} -std=c++17 -fsyntax-only -I${SOURCES} ${dir}/${name}.cc
    RESULT_VARIABLE failed ERROR_VARIABLE said)
  set(failed ${failed} PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

function(refuses name words code)
  compile(${name} "${code}")
  string(FIND "${said}" "${words}" at)
  if(NOT failed OR at EQUAL -1)
    message(SEND_ERROR "${code}: expected to be refused with '${words}', the compiler says '${said}'")
  endif()
endfunction()

compile(right "bus.emit(table, now, flow, Bytes{window}, 0.5);
  (void)Windows{\"windows\", \"windows\", Scope::Flow, false, {\"time_ps\", \"time\"}, {\"flow\", \"\", \"flow\"},
                {\"window_bytes\", \"window\"}, {\"share\", \"1\", \"share\"}};")
if(failed)
  message(SEND_ERROR "a row that is right is refused: ${said}")
endif()
set(number "a row has one cell for each column of its table")
set(type "a cell has exactly the type of its column")
refuses(too-few ${number} "bus.emit(table, now, flow, Bytes{window});")
refuses(too-many ${number} "bus.emit(table, now, flow, Bytes{window}, 0.5, 0.5);")
refuses(integer-for-float ${type} "bus.emit(table, now, flow, Bytes{window}, 1);")
refuses(no-unit ${type} "bus.emit(table, now, flow, window, 0.5);")
refuses(other-unit ${type} "bus.emit(table, now, flow, Rate{window}, 0.5);")
refuses(swapped ${type} "bus.emit(table, flow, now, Bytes{window}, 0.5);")
refuses(no-such-type "a column is of Time, Rate, Bytes" "(void)ColumnOf<float>(\"share\", \"1\", \"share\");")
refuses(unit-twice "has a unit of its own" "(void)ColumnOf<Time>(\"time_ps\", \"us\", \"time\");")
refuses(unit-missing "says its unit" "(void)ColumnOf<double>(\"share\", \"share\");")
refuses(column-missing "no matching function" "(void)Table<Time, double>(\"a\", \"a\", Scope::Flow, false, {\"time_ps\", \"time\"});")
