# Installation and the CMake package: find_package(StreamMAP) gives streammap_add_executable, the program
# StreamMAP::streammap, and the libraries StreamMAP::support, model, sim, mapper, report.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/StreamMAP)
install(TARGETS streammap EXPORT StreamMAPTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(program streammap-annotate streammap-lower)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
foreach(layer support model sim mapper report)
  if(TARGET streammap_${layer})
    install(TARGETS streammap_${layer} EXPORT StreamMAPTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/streammap-lib)
  endif()
endforeach()
install(EXPORT StreamMAPTargets NAMESPACE StreamMAP:: DESTINATION ${package_dir})

# Where find_package does not look: with build/bin on PATH it searches the build tree, and half a package is none.
set(made ${PROJECT_BINARY_DIR}/to-install)
configure_package_config_file(cmake/StreamMAPConfig.cmake.in ${made}/StreamMAPConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${made}/StreamMAPConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(REMOVE ${PROJECT_BINARY_DIR}/StreamMAPConfig.cmake)  # of builds before
install(FILES ${made}/StreamMAPConfig.cmake ${made}/StreamMAPConfigVersion.cmake
              cmake/StreamMAPAddExecutable.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/streammap FILES_MATCHING PATTERN *.json)
