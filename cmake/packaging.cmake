# `cpack` in the build folder, or `make package`: a Debian package of the program, without the library.
if(NOT program IN_LIST MANYVERBS_COMPONENTS)
  return()
endif()

# The manual page has the same list of commands as the program.
set(manual ${PROJECT_BINARY_DIR}/manyverbs.1)
add_custom_command(OUTPUT ${manual} DEPENDS manyverbs_program cmake/manual_page.cmake
  COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:manyverbs_program> -D VERSION=${PROJECT_VERSION}
    -D PAGE=${manual} -P ${PROJECT_SOURCE_DIR}/cmake/manual_page.cmake VERBATIM)
set(changes ${PROJECT_BINARY_DIR}/changelog.gz)
add_custom_command(OUTPUT ${changes} DEPENDS CHANGELOG.md
  COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${changes} VERBATIM)
add_custom_command(OUTPUT ${manual}.gz DEPENDS ${manual} COMMAND gzip -9nc ${manual} > ${manual}.gz VERBATIM)
add_custom_target(manyverbs_manual DEPENDS ${manual}.gz ${changes})
add_dependencies(manyverbs_programs manyverbs_manual)
install(FILES ${manual}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${changes} README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME manyverbs)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The manyverbs authors <manyverbs@example.org>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "multi-label action recognition from single labels")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Trains multi-label classifiers of actions in videos from clips that have a single
label each, as in An Action Is Worth Multiple Words (BMVC 2022). Also an
annotation server with which several people label the same clips.")
# The libraries of the executables, and the build of OpenBLAS that LibTorch must use.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-openmp)
include(CPack)
