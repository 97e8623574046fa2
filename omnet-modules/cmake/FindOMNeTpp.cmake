# Finds OMNeT++ 6: OMNETPP_ROOT (variable or environment), opp_run on the PATH (its setenv was
# sourced), /opt/omnetpp*, ~/omnetpp*, the newest first. Makes the target OMNeTpp::cmdenv, which links a
# simulation program with the command-line user interface; main() is the program's own.
set(candidates)
if(OMNETPP_ROOT)
  list(APPEND candidates ${OMNETPP_ROOT})
elseif(DEFINED ENV{OMNETPP_ROOT})
  list(APPEND candidates $ENV{OMNETPP_ROOT})
else()
  find_program(OPP_RUN opp_run NO_CACHE)
  if(OPP_RUN)
    file(REAL_PATH ${OPP_RUN} run)
    cmake_path(GET run PARENT_PATH bin)
    cmake_path(GET bin PARENT_PATH root)
    list(APPEND candidates ${root})
  endif()
  foreach(parent /opt $ENV{HOME})
    file(GLOB found ${parent}/omnetpp*)
    list(SORT found COMPARE NATURAL ORDER DESCENDING)
    list(APPEND candidates ${found})
  endforeach()
endif()

# All that is used has to be there: one that is only half built would stop the build of everything else.
# harness/engine/omnet asks for the same.
set(OMNeTpp_ROOT_DIR)
foreach(root ${candidates})
  set(missing)
  foreach(part Version include/omnetpp.h bin/opp_nedtool
      lib/liboppcmdenv.* lib/liboppenvir.* lib/liboppsim.* lib/liboppnedxml.* lib/liboppcommon.*)
    file(GLOB found ${root}/${part})
    if(NOT found)
      list(APPEND missing ${part})
    endif()
  endforeach()
  if(NOT missing)
    set(OMNeTpp_ROOT_DIR ${root})
    break()
  endif()
endforeach()

if(OMNeTpp_ROOT_DIR)
  file(READ ${OMNeTpp_ROOT_DIR}/Version version)
  string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" OMNeTpp_VERSION "${version}")
  set(OMNeTpp_NEDTOOL ${OMNeTpp_ROOT_DIR}/bin/opp_nedtool)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OMNeTpp
  REQUIRED_VARS OMNeTpp_ROOT_DIR OMNeTpp_NEDTOOL
  VERSION_VAR OMNeTpp_VERSION
  REASON_FAILURE_MESSAGE "set OMNETPP_ROOT to the folder of a built OMNeT++ 6, or source its setenv")

if(OMNeTpp_FOUND AND NOT TARGET OMNeTpp::cmdenv)
  add_library(OMNeTpp::cmdenv INTERFACE IMPORTED)
  target_include_directories(OMNeTpp::cmdenv SYSTEM INTERFACE ${OMNeTpp_ROOT_DIR}/include)
  target_link_directories(OMNeTpp::cmdenv INTERFACE ${OMNeTpp_ROOT_DIR}/lib)
  # The release libraries are built with NDEBUG, which changes what their headers declare.
  target_compile_definitions(OMNeTpp::cmdenv INTERFACE NDEBUG)
  # Nothing refers to Cmdenv by name: it registers itself when it is loaded.
  target_link_libraries(OMNeTpp::cmdenv INTERFACE
    -Wl,--no-as-needed oppcmdenv oppenvir oppsim oppnedxml oppcommon -Wl,--as-needed
    -Wl,-rpath,${OMNeTpp_ROOT_DIR}/lib)
endif()
