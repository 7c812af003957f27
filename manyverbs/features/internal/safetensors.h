// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace manyverbs {

/// Tensors in a file of the safetensors format: the length of a JSON header in 8 bytes, the header,
/// then the numbers. Other programs read it without running any code of ours.
struct TensorFile {
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< floats are float32
  std::map<std::string, std::string> metadata;

  /// Copies the stored numbers into tensors of the same names and shapes. Throws Error that names
  /// the file and what is missing or of another shape. Names of the file that nobody asks for are
  /// ignored.
  void copy_into(const std::vector<std::pair<std::string, at::Tensor>>& named,
                 const std::filesystem::path& path) const;
};

/// Replaces the file, or leaves it as it was and throws Error. All tensors are float32.
void write_tensors(const std::filesystem::path& path, const TensorFile& contents);
/// Floats of 16 and 64 bits become float32, whole numbers stay. Throws Error for a file that is cut
/// short or is not of the format.
TensorFile read_tensors(const std::filesystem::path& path);

}  // namespace manyverbs
