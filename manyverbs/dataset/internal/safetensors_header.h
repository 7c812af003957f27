// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "manyverbs/dataset/internal/stored_array.h"

namespace manyverbs {

/// The tensors in a file of the safetensors format: the length of a JSON header in 8 bytes, the
/// header, then the elements.
struct SafetensorsFile {
  struct Tensor {
    std::string name;
    std::string type;  ///< "F32", "BF16" …
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
  };
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Throws Error if the file is truncated, damaged, or has tensors of an unknown type.
SafetensorsFile read_safetensors_header(std::span<const std::byte> bytes,
                                        const std::filesystem::path& path);

/// The element type of "F32" and so on. Throws Error with the name of the tensor for others.
ElementType safetensors_element(const std::string& type, const std::string& name,
                                const std::filesystem::path& path);

}  // namespace manyverbs
