# The browser pages: web/ is built with npm and Vite into HTML files that become part of the program.
#
# npm needs its packages beside the sources, and two build folders must not share them. So web/ and
# tests/web/ are copied to the build folder and built there.
find_program(MANYVERBS_NODE NAMES node nodejs REQUIRED)
find_program(MANYVERBS_NPM npm REQUIRED)
set(MANYVERBS_WEB ${PROJECT_BINARY_DIR}/pages/web)

# Runs a command in MANYVERBS_WEB; prints its output only if it fails.
function(quiet_command variable)
  list(JOIN ARGN " " command)
  set(${variable} sh -c "log=$(${command} 2>&1) || (echo \"$log\" >&2 && false)" PARENT_SCOPE)
endfunction()

# Removes copies of deleted sources, which would still be checked.
function(forget_old_copies folder)
  file(GLOB_RECURSE copies RELATIVE ${PROJECT_BINARY_DIR}/pages ${PROJECT_BINARY_DIR}/pages/${folder}/*)
  foreach(copy ${copies})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${copy})
      file(REMOVE ${PROJECT_BINARY_DIR}/pages/${copy})
    endif()
  endforeach()
endfunction()

# copied(variable FILE…): rules that copy files, named from the project's root, into the build folder;
# the variable receives the copies. Only what changed is copied, so nothing else is built again.
function(copied variable)
  set(copies "")
  foreach(file ${ARGN})
    set(copy ${PROJECT_BINARY_DIR}/pages/${file})
    add_custom_command(OUTPUT ${copy} DEPENDS ${PROJECT_SOURCE_DIR}/${file}
      COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/${file} ${copy})
    list(APPEND copies ${copy})
  endforeach()
  set(${variable} ${copies} PARENT_SCOPE)
endfunction()

# add_pages(NAME…): web/NAME.html, each as a constant of web/pages.h in the source MANYVERBS_PAGE_NAME;
# and the texts of the annotator's page in MANYVERBS_PAGE_strings.
function(add_pages)
  copied(manifest web/package.json web/package-lock.json web/.npmrc)
  quiet_command(install ${MANYVERBS_NPM} ci)
  add_custom_command(OUTPUT ${MANYVERBS_WEB}/packages.stamp DEPENDS ${manifest}
    WORKING_DIRECTORY ${MANYVERBS_WEB} COMMAND ${install}
    # The tests are beside web/ and use the same packages.
    COMMAND ${CMAKE_COMMAND} -E create_symlink web/node_modules ${MANYVERBS_WEB}/../node_modules
    COMMAND ${CMAKE_COMMAND} -E touch ${MANYVERBS_WEB}/packages.stamp
    COMMENT "Installing the packages of the browser pages" VERBATIM)

  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} web/src/*)
  forget_old_copies(web/src)
  copied(sources ${files} web/tsconfig.json web/vite.config.ts web/single_file.ts web/embed.mjs web/strings.mjs)
  foreach(name ${ARGN})
    copied(html web/${name}.html)
    set(page ${MANYVERBS_WEB}/dist/${name}.html)
    quiet_command(bundle ${MANYVERBS_NODE} node_modules/vite/bin/vite.js build --mode ${name})
    add_custom_command(OUTPUT ${page} DEPENDS ${html} ${sources} ${MANYVERBS_WEB}/packages.stamp
      WORKING_DIRECTORY ${MANYVERBS_WEB} COMMAND ${bundle}
      COMMENT "Building the page ${name}" VERBATIM)
    # report becomes kReportPage.
    string(SUBSTRING ${name} 0 1 first)
    string(TOUPPER ${first} first)
    string(SUBSTRING ${name} 1 -1 rest)
    set(embedded ${MANYVERBS_WEB}/dist/${name}.cpp)
    add_custom_command(OUTPUT ${embedded} DEPENDS ${page}
      COMMAND ${MANYVERBS_NODE} ${MANYVERBS_WEB}/embed.mjs k${first}${rest}Page ${page} ${embedded})
    set_source_files_properties(${embedded} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set(MANYVERBS_PAGE_${name} ${embedded} PARENT_SCOPE)
    list(APPEND pages ${page})
  endforeach()
  set(strings ${MANYVERBS_WEB}/dist/strings)
  add_custom_command(OUTPUT ${strings}.cpp BYPRODUCTS ${strings}.json
    DEPENDS ${sources} ${MANYVERBS_WEB}/packages.stamp WORKING_DIRECTORY ${MANYVERBS_WEB}
    COMMAND ${MANYVERBS_NODE} strings.mjs ${strings}.json
    COMMAND ${MANYVERBS_NODE} embed.mjs kAnnotatorStrings ${strings}.json ${strings}.cpp VERBATIM)
  set_source_files_properties(${strings}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(MANYVERBS_PAGE_strings ${strings}.cpp PARENT_SCOPE)
  add_custom_target(manyverbs_pages DEPENDS ${pages})
endfunction()
