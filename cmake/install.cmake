# What `cmake --install` puts where: headers, libraries, the command and its modules, pkg-config and CMake package
# files, tasks, trained policies and manual.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries saccade_static saccade_attention)
if(SAC_SHARED)
  list(APPEND libraries saccade_shared)
  target_link_options(saccade_shared PRIVATE -Wl,-z,defs)
endif()
install(DIRECTORY include/saccade DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS ${libraries} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS saccade RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# modules are opened when asked for (film, window, plots), so the command starts without them
get_property(modules GLOBAL PROPERTY SAC_MODULES)
if(modules)
  install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/saccade)
endif()

# what the bridge's worker processes run
install(FILES src/env/bridge/saccade-worker.py DESTINATION ${CMAKE_INSTALL_LIBDIR}/saccade)

# the control suite's models
if(DM_CONTROL_FOLDER)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/saccade-models DESTINATION ${CMAKE_INSTALL_LIBDIR}/saccade)
endif()

# whose numbers and models describe the robots, and on what terms
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/licences RENAME saccade.txt)
install(DIRECTORY licences DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade)

foreach(folder tasks zoo)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade)
  endif()
endforeach()

# the manual and the shells' completions are the command's own tables, printed by the command itself
if(NOT CMAKE_CROSSCOMPILING AND NOT SAC_SANITIZE)
  set(printed ${CMAKE_BINARY_DIR}/saccade.1)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/saccade.1 DEPENDS saccade
                     COMMAND saccade --man >${CMAKE_BINARY_DIR}/saccade.1)
  install(FILES ${CMAKE_BINARY_DIR}/saccade.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  foreach(place bash:bash-completion/completions:saccade zsh:zsh/site-functions:_saccade
                fish:fish/vendor_completions.d:saccade.fish)
    string(REPLACE ":" ";" place ${place})
    list(GET place 0 shell)
    list(GET place 1 folder)
    list(GET place 2 name)
    set(file ${CMAKE_BINARY_DIR}/completion.${shell})
    add_custom_command(OUTPUT ${file} DEPENDS saccade COMMAND saccade --completion ${shell} >${file})
    list(APPEND printed ${file})
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${printed})
endif()

# the files find themselves, so an installed tree may be moved
file(RELATIVE_PATH SAC_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
# what a static program needs beside the library itself. LAPACK and BLAS by plain name: as modules they would ask for a
# Fortran compiler's libraries, which their shared forms bring along
set(SAC_PC_REQUIRES "libpng zlib yaml-0.1 jansson")
set(SAC_PC_LIBS "-llapacke -lopenblas -pthread -ldl -lm")
string(REPLACE " " ";" SAC_PACKAGE_REQUIRES "lapacke openblas ${SAC_PC_REQUIRES}")
foreach(name saccade saccade-attention)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/saccade)
configure_package_config_file(cmake/saccade-config.cmake.in ${CMAKE_BINARY_DIR}/saccade-config.cmake
                              INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/saccade-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/saccade-config.cmake ${CMAKE_BINARY_DIR}/saccade-config-version.cmake
        DESTINATION ${package})

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
                                    -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)
