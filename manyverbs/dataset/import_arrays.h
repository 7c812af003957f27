// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/dataset.h"

namespace manyverbs {

/// A data set from what people already have: a table of clips, and features as NPY or NPZ with one
/// row a clip. Every number is checked on the way in; files larger than memory are fine.

/// Where a feature stream comes from.
struct FeatureSource {
  std::string stream;          ///< its name in the data set
  std::filesystem::path file;  ///< NPY or NPZ
  std::string array;           ///< which array of an NPZ; empty when it holds only one
};

/// A source as users write it, FILE or NAME=FILE, where FILE may be an NPZ with ":ARRAY" behind it.
/// The stream is named after the array or the file: "a/rgb.npy" is {rgb, a/rgb.npy}, "x.npz:flow"
/// is {flow, x.npz, flow}, "f=x.npz:flow" is {f, x.npz, flow}. Throws Error when the name is none.
FeatureSource parse_feature_source(std::string_view text);

struct ArraysImport {
  std::filesystem::path clips;    ///< as clips.csv of a data set
  std::filesystem::path classes;  ///< as classes.csv; when empty, the classes that the clips name
  std::vector<FeatureSource> features;
  std::string name;   ///< of the data set; when empty, that of its folder
  bool link = false;  ///< point at files that can be used as they are instead of copying them
  std::filesystem::path out;
};

struct ImportedStream {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  NumberType type = NumberType::Float32;
  bool linked = false;
};

struct ArraysImported {
  Dataset dataset;
  std::vector<ImportedStream> streams;
};

/// Writes the data set and returns it. float16 and float32 stay what they are, float64 becomes
/// float32, Fortran order is turned into rows. Throws Error with file, row, clip and column for NaN
/// and infinite numbers, and for files that are no matrix of floats with one row a clip.
ArraysImported import_arrays(const ArraysImport& settings);

}  // namespace manyverbs
