// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// Creates a data set from a table of clips and feature files: NPY, NPZ, pickle, safetensors, HDF5
/// or CSV. Rows are found by the names of the clips if a file has them, otherwise there is one row
/// per clip in the same order. Every number is checked. Files may be larger than memory.

/// The source of a feature stream.
struct FeatureSource {
  std::string stream;  ///< its name in the data set
  std::filesystem::path file;
  std::string array;  ///< one of several arrays in the file; empty if there is only one
};

/// Parses FILE or NAME=FILE, where ":ARRAY" may follow. The stream is
/// named after the array or the file: "a/rgb.npy" is {rgb, a/rgb.npy}, "x.npz:flow" is {flow,
/// x.npz, flow}, "f=x.npz:flow" is {f, x.npz, flow}. Throws Error for an invalid name.
FeatureSource parse_feature_source(std::string_view text);

struct ArraysImport {
  std::filesystem::path clips;  ///< in the format of clips.csv
  std::filesystem::path
      classes;  ///< in the format of classes.csv; empty: the classes in the clips file
  std::vector<FeatureSource> features;
  std::string name;   ///< of the data set; empty: the name of its folder
  bool link = false;  ///< link feature files instead of copying them, if they need no conversion
  std::filesystem::path out;
};

struct ImportedStream {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  NumberType type = NumberType::Float32;
  bool linked = false;
  std::string layout = {};  ///< what was found, unless it is an NPY file that needs no conversion:
                            ///< "pickle, one array per clip, 2048 float32"
  std::size_t unused = 0;   ///< rows of the file that belong to no clip
};

struct ArraysImported {
  Dataset dataset;
  std::vector<ImportedStream> streams;
};

/// Writes the data set and returns it. float16 and float32 are kept, float64 becomes float32,
/// Fortran order becomes row-major, frames are averaged. Throws Error with file, row, clip and
/// column for NaN and infinite numbers, and for files that do not have a row of floats for each
/// clip.
ArraysImported import_arrays(const ArraysImport& settings);

}  // namespace manyverbs
