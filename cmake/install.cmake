# What `cmake --install` puts where (the catalogues: messages.cmake). The program finds its data by where it stands itself, so that an
# installed folder may be moved: KT_INSTALL_DATA and KT_INSTALL_LOCALE are paths from the program's folder. In a build folder
# the lessons are the source tree's and the catalogues stand in locale/ beside the program.
file(RELATIVE_PATH data ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/kubetutor)
file(RELATIVE_PATH locale ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LOCALEDIR})
target_compile_definitions(kt_app PRIVATE KT_INSTALL_DATA="${data}" KT_INSTALL_LOCALE="${locale}")

install(TARGETS kubetutor DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder lessons assets)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/kubetutor USE_SOURCE_PERMISSIONS)
  endif()
endforeach()
install(FILES man/kubetutor.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
