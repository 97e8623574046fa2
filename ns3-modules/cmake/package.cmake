# find_package(fabriclab) for ns-3 projects: in a prefix (cmake --install), and in the build folder as it is.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(libraries ns3-fabric)
if(TARGET ns3-fabric-internet)
  list(APPEND libraries ns3-fabric-internet)
endif()
set_target_properties(${libraries} PROPERTIES INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH TRUE)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fabriclab)
configure_package_config_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/fabriclabConfig.cmake.in
  ${CMAKE_BINARY_DIR}/fabriclabConfig.cmake INSTALL_DESTINATION ${package})
file(COPY ${CMAKE_CURRENT_SOURCE_DIR}/cmake/FabricNs3.cmake ${CMAKE_CURRENT_SOURCE_DIR}/cmake/FabricNs3Targets.cmake
  DESTINATION ${CMAKE_BINARY_DIR})
install(TARGETS ${libraries} EXPORT fabriclabTargets LIBRARY)
export(EXPORT fabriclabTargets NAMESPACE fabriclab:: FILE ${CMAKE_BINARY_DIR}/fabriclabTargets.cmake)
install(EXPORT fabriclabTargets NAMESPACE fabriclab:: DESTINATION ${package})
install(FILES ${CMAKE_BINARY_DIR}/fabriclabConfig.cmake cmake/FabricNs3.cmake cmake/FabricNs3Targets.cmake DESTINATION ${package})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/mechanisms DESTINATION ${FABRIC_INCLUDE} FILES_MATCHING PATTERN "*.h"
  PATTERN tests EXCLUDE PATTERN tools EXCLUDE)
install(DIRECTORY model/ helper/ internet/ DESTINATION ${FABRIC_INCLUDE} FILES_MATCHING PATTERN "*.h")
