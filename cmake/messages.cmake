# Message catalogues. A message that is not translated yet is shown in English; one whose placeholders differ from the English ones
# stops the build.
find_program(MSGFMT msgfmt REQUIRED)

# Compiles a .po file to FOLDER/zh_CN/LC_MESSAGES/kubetutor.mo, the place where gettext looks, with every build.
function(kt_catalogue target po folder)
  set(mo ${folder}/zh_CN/LC_MESSAGES/kubetutor.mo)
  get_filename_component(mo_folder ${mo} DIRECTORY)
  add_custom_command(
    OUTPUT ${mo}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${mo_folder}
    COMMAND ${MSGFMT} --check --output-file=${mo} ${po}
    DEPENDS ${po}
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${mo})
endfunction()

kt_catalogue(messages ${CMAKE_SOURCE_DIR}/po/zh_CN.po ${CMAKE_BINARY_DIR}/locale)
install(FILES ${CMAKE_BINARY_DIR}/locale/zh_CN/LC_MESSAGES/kubetutor.mo DESTINATION ${CMAKE_INSTALL_LOCALEDIR}/zh_CN/LC_MESSAGES)
