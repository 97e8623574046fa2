# fabriclab as a module of the ns-3 in whose contrib folder it lies: built by ./ns3 build, with that ns-3's compiler flags
# and C++ standard. The module has the name of its folder.
get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
find_package(nlohmann_json QUIET)
find_package(ZLIB QUIET)
find_package(Threads QUIET)
if(NS3_VER MATCHES "^3\\.([0-9]+)" AND CMAKE_MATCH_1 LESS 37)
  set(problem "works with ns-3 3.37 and newer, this is ${NS3_VER}")
elseif(NS3_STATIC OR NS3_MONOLIB)
  set(problem "works with ns-3 as shared libraries, one for each module (no --enable-static, --enable-monolib)")
elseif(NOT nlohmann_json_FOUND OR NOT ZLIB_FOUND)
  set(problem "needs nlohmann-json and zlib (Debian, Ubuntu: nlohmann-json3-dev zlib1g-dev)")
endif()
if(problem)
  message(FATAL_ERROR "contrib/${name} ${problem}; see contrib/${name}/docs/how-to/ns3-by-hand.md")
endif()

set(modules ns3-modules)
file(GLOB mechanisms CONFIGURE_DEPENDS mechanisms/*/*.cc)
list(FILTER mechanisms EXCLUDE REGEX "/mechanisms/(tests|tools)/|_test\\.cc$")
file(GLOB engines CONFIGURE_DEPENDS mechanisms/*/engine.cmake) # programs of their own
foreach(engine ${engines})
  get_filename_component(engine ${engine} DIRECTORY)
  list(FILTER mechanisms EXCLUDE REGEX "^${engine}/")
endforeach()
file(GLOB sources CONFIGURE_DEPENDS ${modules}/model/*.cc ${modules}/helper/*.cc ${modules}/internet/*.cc)
file(GLOB headers RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${modules}/model/*.h ${modules}/helper/*.h ${modules}/internet/*.h)
set(folders ${CMAKE_CURRENT_SOURCE_DIR})
foreach(folder model helper internet)
  list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${modules}/${folder})
endforeach()
include_directories(${folders})
add_compile_options(-ffp-contract=off) # the same bytes on any machine

add_library(${name}-mechanisms OBJECT ${mechanisms})
set_target_properties(${name}-mechanisms PROPERTIES CXX_STANDARD 17 POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/mechanisms/runner/program.cc PROPERTIES COMPILE_DEFINITIONS
  "FABRIC_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\";FABRIC_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";FABRIC_FLAGS=\"${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}\"")
target_link_libraries(${name}-mechanisms PRIVATE nlohmann_json::nlohmann_json ZLIB::ZLIB)
if(PRECOMPILE_HEADERS_ENABLED) # as ns-3 does its own
  target_precompile_headers(${name}-mechanisms PRIVATE <mechanisms/precompiled.h>)
endif()
build_lib(LIBNAME ${name} SOURCE_FILES ${sources} HEADER_FILES ${headers} IGNORE_PCH
  LIBRARIES_TO_LINK ${FABRIC_NS3_MODULES} nlohmann_json::nlohmann_json ZLIB::ZLIB Threads::Threads)
target_sources(${lib${name}} PRIVATE $<TARGET_OBJECTS:${name}-mechanisms>)
target_include_directories(${lib${name}} PUBLIC "$<BUILD_INTERFACE:${folders}>")
install(DIRECTORY mechanisms DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN tests EXCLUDE PATTERN tools EXCLUDE)

set(programs ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/${name})
if(ENABLE_EXAMPLES)
  foreach(example dumbbell internet)
    build_exec(EXECNAME fabric-${example} SOURCE_FILES ${modules}/examples/${example}.cc IGNORE_PCH
      LIBRARIES_TO_LINK ${lib${name}} ${FABRIC_NS3_MODULES} EXECUTABLE_DIRECTORY_PATH ${programs}/examples/)
  endforeach()
endif()
if(ENABLE_TESTS)
  find_package(GTest QUIET)
  if(GTest_FOUND)
    file(GLOB tests CONFIGURE_DEPENDS ${modules}/test/*.cc)
    build_exec(EXECNAME fabric-tests SOURCE_FILES ${tests} ${modules}/bench/ns3-tcp.cc IGNORE_PCH
      LIBRARIES_TO_LINK ${lib${name}} ${FABRIC_NS3_MODULES} GTest::gtest GTest::gtest_main
      EXECUTABLE_DIRECTORY_PATH ${programs}/test/)
  else()
    message(STATUS "contrib/${name}: no tests, GoogleTest is missing (Debian, Ubuntu: libgtest-dev)")
  endif()
endif()
