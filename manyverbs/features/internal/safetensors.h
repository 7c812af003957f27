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
/// then the elements. Many programs can read it.
struct TensorFile {
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< floats are float32
  std::map<std::string, std::string> metadata;

  /// Copies the stored values into the tensors of the same names. Throws Error if a name is missing
  /// or has another shape. Other names in the file are ignored.
  void copy_into(const std::vector<std::pair<std::string, at::Tensor>>& named,
                 const std::filesystem::path& path) const;
};

/// Replaces the file; on failure it is unchanged and Error is thrown. All tensors must be float32.
void write_tensors(const std::filesystem::path& path, const TensorFile& contents);
/// Converts 16-bit and 64-bit floats to float32, keeps integers. Throws Error if the file is
/// truncated or not a safetensors file.
TensorFile read_tensors(const std::filesystem::path& path);

}  // namespace manyverbs
