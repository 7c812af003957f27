# The components of the library and their dependencies. Used by the build and by find_package(manyverbs) in other
# projects.
#
#   neighbours   data sets, neighbours, pseudo-labels, metrics
#   video        frames and optical flow of videos                     (FFmpeg, OpenCV)
#   learning     backbones, training, models, experiments, reports     (LibTorch)
#   annotation   the annotation server                                 (SOCI, Boost)
set(MANYVERBS_LIBRARIES neighbours video learning annotation)
set(MANYVERBS_video_NEEDS neighbours)
set(MANYVERBS_learning_NEEDS neighbours video)
set(MANYVERBS_annotation_NEEDS neighbours video)

set(MANYVERBS_neighbours_PACKAGES fmt OpenMP)
set(MANYVERBS_learning_PACKAGES Torch)

# with_needed(VARIABLE component…): these components and their dependencies, in the order above.
function(with_needed variable)
  foreach(component ${ARGN})
    list(APPEND wanted ${component} ${MANYVERBS_${component}_NEEDS})
  endforeach()
  set(ordered "")
  foreach(component ${MANYVERBS_LIBRARIES})
    if(component IN_LIST wanted)
      list(APPEND ordered ${component})
    endif()
  endforeach()
  set(${variable} ${ordered} PARENT_SCOPE)
endfunction()

# add_part(name LIBRARIES name… [HEADER file FOLDERS folder…]): the target manyverbs::name, for libraries without a
# CMake file, or with one that requires more than the library. Missing ones are added to MANYVERBS_MISSING.
function(add_part name)
  if(TARGET manyverbs::${name})
    return()
  endif()
  cmake_parse_arguments(PART "" "HEADER" "LIBRARIES;FOLDERS" ${ARGN})
  add_library(manyverbs::${name} INTERFACE IMPORTED)
  foreach(library ${PART_LIBRARIES})
    find_library(MANYVERBS_${library}_FILE ${library})
    if(NOT MANYVERBS_${library}_FILE)
      list(APPEND MANYVERBS_MISSING lib${library})
    endif()
    target_link_libraries(manyverbs::${name} INTERFACE ${MANYVERBS_${library}_FILE})
  endforeach()
  if(PART_HEADER)
    find_path(MANYVERBS_${name}_FOLDER ${PART_HEADER} PATH_SUFFIXES ${PART_FOLDERS})
    if(NOT MANYVERBS_${name}_FOLDER)
      list(APPEND MANYVERBS_MISSING ${PART_HEADER})
    endif()
    target_include_directories(manyverbs::${name} SYSTEM INTERFACE ${MANYVERBS_${name}_FOLDER})
  endif()
  set(MANYVERBS_MISSING ${MANYVERBS_MISSING} PARENT_SCOPE)
endfunction()

# find_parts(component): after find_package() of its packages.
macro(find_parts component)
  if(${component} STREQUAL neighbours)
    add_part(zip LIBRARIES zip)
    add_part(hdf5 LIBRARIES hdf5_serial HEADER hdf5.h FOLDERS hdf5/serial)
    add_part(xxhash LIBRARIES xxhash)
    # OpenBLAS must be the build that shares OpenMP's threads with LibTorch: the pthreads build, which Debian prefers
    # if both are installed, competes with them and makes training several times slower.
    find_library(MANYVERBS_openblas_FILE openblas NO_DEFAULT_PATH
      PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
    add_part(openblas LIBRARIES openblas HEADER cblas.h
      FOLDERS ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp openblas-openmp openblas)
  elseif(${component} STREQUAL video)
    # FFmpeg decodes, libjpeg-turbo reads and writes JPEG, OpenCV resizes. The CMake file of OpenCV comes only with
    # all of OpenCV, including VTK and Qt.
    add_part(codecs HEADER opencv2/core.hpp FOLDERS opencv4
      LIBRARIES opencv_video opencv_imgproc opencv_core avformat avcodec swscale avutil turbojpeg)
  elseif(${component} STREQUAL learning)
    # LibTorch without the compiler flags that its CMake file adds to all targets.
    add_part(torch LIBRARIES)
    target_include_directories(manyverbs::torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
    target_link_libraries(manyverbs::torch INTERFACE ${TORCH_LIBRARIES})
  elseif(${component} STREQUAL annotation)
    # Only headers of Boost: Beast and Asio.
    add_part(beast HEADER boost/beast.hpp)
    # SOCI's headers include those of PostgreSQL.
    add_part(web HEADER libpq-fe.h FOLDERS postgresql
      LIBRARIES soci_sqlite3 soci_postgresql soci_core sodium z)
  endif()
endmacro()
