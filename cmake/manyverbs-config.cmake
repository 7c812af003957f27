# find_package(manyverbs) for a program that uses the library; examples/ has one.
include(CMakeFindDependencyMacro)
find_dependency(OpenMP COMPONENTS CXX)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(faiss)
find_dependency(Torch)
include(${CMAKE_CURRENT_LIST_DIR}/manyverbs-targets.cmake)
