# The message catalogues, and what `cmake --install` puts where. The program finds its data by where it stands itself, so that an
# installed folder may be moved: KT_INSTALL_DATA and KT_INSTALL_LOCALE are paths from the program's folder. In a build folder
# the lessons are the source tree's and the catalogues stand in locale/ beside the program.
file(RELATIVE_PATH data ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/kubetutor)
file(RELATIVE_PATH locale ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LOCALEDIR})
target_compile_definitions(kt_app PRIVATE KT_INSTALL_DATA="${data}" KT_INSTALL_LOCALE="${locale}")

find_program(MSGFMT msgfmt REQUIRED)
file(GLOB catalogues CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/po/*.po)
set(compiled "")
foreach(catalogue IN LISTS catalogues)
  get_filename_component(language ${catalogue} NAME_WE)
  set(folder ${CMAKE_BINARY_DIR}/locale/${language}/LC_MESSAGES)
  add_custom_command(OUTPUT ${folder}/kubetutor.mo
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${MSGFMT} --check -o ${folder}/kubetutor.mo ${catalogue}
    DEPENDS ${catalogue} VERBATIM)
  list(APPEND compiled ${folder}/kubetutor.mo)
  install(FILES ${folder}/kubetutor.mo DESTINATION ${CMAKE_INSTALL_LOCALEDIR}/${language}/LC_MESSAGES)
endforeach()
add_custom_target(catalogues ALL DEPENDS ${compiled})

install(TARGETS kubetutor DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder lessons assets)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/kubetutor USE_SOURCE_PERMISSIONS)
  endif()
endforeach()
install(FILES man/kubetutor.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
