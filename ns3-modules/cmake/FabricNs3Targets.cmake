# FabricNs3::<module> for the modules of the ns-3 that FabricNs3.cmake has found. Its own targets have another name in each
# version, and carry libraries and include paths of the machine that it was built on.
foreach(module core network stats internet traffic-control bridge applications point-to-point mpi)
  fabric_ns3_library(library ${module})
  if(library AND NOT TARGET FabricNs3::${module})
    add_library(FabricNs3::${module} SHARED IMPORTED)
    set_target_properties(FabricNs3::${module} PROPERTIES IMPORTED_LOCATION ${library}
      INTERFACE_INCLUDE_DIRECTORIES ${FABRIC_NS3_PREFIX}/include INTERFACE_COMPILE_FEATURES cxx_std_${FABRIC_NS3_CXX_STANDARD})
  endif()
endforeach()
