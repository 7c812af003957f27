# add_room(name USES room… LINKS target… TESTS_USE room…): manyverbs/<name> as the static library
# manyverbs::<name>, and tests/<name> as its test program. Headers under internal/ are not installed.
function(add_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS;TESTS_USE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS manyverbs/${name}/*.cpp manyverbs/${name}/internal/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS manyverbs/${name}/*.h)
  add_library(manyverbs_${name} STATIC ${sources})
  add_library(manyverbs::${name} ALIAS manyverbs_${name})
  target_sources(manyverbs_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  target_compile_features(manyverbs_${name} PUBLIC cxx_std_20)
  # Square roots need not set errno, nor selects keep traps: without this, loops stay scalar.
  target_compile_options(manyverbs_${name} PRIVATE -fno-math-errno -fno-trapping-math)
  set_target_properties(manyverbs_${name} PROPERTIES
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  list(TRANSFORM ROOM_USES PREPEND manyverbs_)
  target_link_libraries(manyverbs_${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS})
  install(TARGETS manyverbs_${name} EXPORT manyverbs FILE_SET HEADERS)
  set(MANYVERBS_ROOMS ${MANYVERBS_ROOMS} manyverbs_${name} PARENT_SCOPE)

  file(GLOB tests CONFIGURE_DEPENDS tests/${name}/*_test.cpp)
  if(MANYVERBS_BUILD_TESTS AND tests)
    add_executable(${name}_tests ${tests})
    list(TRANSFORM ROOM_TESTS_USE PREPEND manyverbs_)
    target_link_libraries(${name}_tests PRIVATE manyverbs_${name} ${ROOM_TESTS_USE} GTest::gtest_main)
    target_compile_definitions(${name}_tests PRIVATE
      MANYVERBS_TEST_FOLDER="${PROJECT_SOURCE_DIR}/tests")
    include(GoogleTest)
    gtest_discover_tests(${name}_tests DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
