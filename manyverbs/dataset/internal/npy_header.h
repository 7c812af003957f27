// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace manyverbs {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// The header of an NPY file (versions 1 to 3), whatever its elements are.
struct NpyHeader {
  std::string code;  ///< of the element type: "<f4", "<U7", "|O"
  bool fortran_order = false;
  std::vector<std::int64_t> sizes;
  std::size_t length = 0;  ///< of the header: the offset of the elements
};

/// Reads the header at the start of `bytes`; `name` is used in errors.
NpyHeader read_npy_header(std::span<const std::byte> bytes, const std::string& name);

}  // namespace manyverbs
