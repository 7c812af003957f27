# The libraries that the rooms stand on.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Torch REQUIRED)
find_package(faiss REQUIRED)

# OpenBLAS must be the build that shares OpenMP's threads with LibTorch: the pthreads build, which
# Debian prefers where both are installed, fights them and makes training several times slower. A
# DT_RPATH (not RUNPATH) makes LibTorch itself pick up the same build.
find_library(MANYVERBS_OPENBLAS_FILE openblas PATH_SUFFIXES openblas-openmp
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH)
find_library(MANYVERBS_OPENBLAS_FILE openblas REQUIRED)
get_filename_component(openblas_folder ${MANYVERBS_OPENBLAS_FILE} DIRECTORY)
find_path(MANYVERBS_CBLAS_FOLDER cblas.h PATH_SUFFIXES
  ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp openblas-openmp openblas REQUIRED
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
add_library(manyverbs_openblas INTERFACE)
target_include_directories(manyverbs_openblas SYSTEM INTERFACE ${MANYVERBS_CBLAS_FOLDER})
target_link_libraries(manyverbs_openblas INTERFACE ${MANYVERBS_OPENBLAS_FILE})
target_link_options(manyverbs_openblas INTERFACE
  LINKER:--disable-new-dtags LINKER:--no-as-needed LINKER:-rpath,${openblas_folder})

# LibTorch without the compiler flags that its CMake file would put on everything.
add_library(manyverbs_torch INTERFACE)
target_include_directories(manyverbs_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(manyverbs_torch INTERFACE ${TORCH_LIBRARIES})

# Debian's CMake file of libzip asks for its command-line tools too; the library alone will do.
find_library(MANYVERBS_ZIP_FILE zip REQUIRED)

# Hashes of file contents.
find_library(MANYVERBS_XXHASH_FILE xxhash REQUIRED)

# Video and pictures: FFmpeg decodes, libjpeg-turbo reads and writes JPEG, OpenCV resizes. The libraries are
# named one by one: OpenCV's CMake file comes only with all of OpenCV, VTK and Qt included.
add_library(manyverbs_video INTERFACE)
find_path(MANYVERBS_OPENCV_FOLDER opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
target_include_directories(manyverbs_video SYSTEM INTERFACE ${MANYVERBS_OPENCV_FOLDER})
foreach(part opencv_video opencv_imgproc opencv_core avformat avcodec swscale avutil turbojpeg)
  find_library(MANYVERBS_${part}_FILE ${part} REQUIRED)
  target_link_libraries(manyverbs_video INTERFACE ${MANYVERBS_${part}_FILE})
endforeach()

# Web server, its pages' compression, database and passwords. Debian builds cpp-httplib with TLS inside, which changes its types: they
# must be the same here, although TLS itself is left to the proxy in front.
add_library(manyverbs_web INTERFACE)
target_compile_definitions(manyverbs_web INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
foreach(part cpp-httplib ssl crypto soci_sqlite3 soci_postgresql soci_core sodium z)
  find_library(MANYVERBS_${part}_FILE ${part} REQUIRED)
  target_link_libraries(manyverbs_web INTERFACE ${MANYVERBS_${part}_FILE})
endforeach()
# Headers of PostgreSQL, which SOCI's own include.
find_path(MANYVERBS_POSTGRESQL_FOLDER libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
target_include_directories(manyverbs_web SYSTEM INTERFACE ${MANYVERBS_POSTGRESQL_FOLDER})
