# The engine that needs no simulator.
file(GLOB plain CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cc)
add_executable(fabric-plain ${plain})
target_link_libraries(fabric-plain PRIVATE fabric_mechanisms)
