include(GNUInstallDirs)
install(DIRECTORY include/saccade DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS saccade_static saccade_attention ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
