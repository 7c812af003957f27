// SPDX-License-Identifier: MIT
#pragma once

#include <zip.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace manyverbs {

/// The bytes of an NPY file, written independently of the writer under test.
struct Npy {
  std::string type = "<f4";
  std::string shape = "(2, 3)";
  bool fortran_order = false;
  int version = 1;
  std::string numbers = {};  ///< as they lie in the file

  std::string bytes() const {
    const std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", type,
                    fortran_order ? "True" : "False", shape);
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
      text += static_cast<char>((header.size() >> (8 * i)) & 0xff);
    }
    return text + header + numbers;
  }
};

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string text(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(text.data(), values.data(), text.size());
  return text;
}

/// Writes an NPZ file of named arrays, compressed or only packed.
inline void write_npz(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, std::string>>& arrays,
                      bool compress = true) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, bytes] : arrays) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const auto index = zip_file_add(archive, (name + ".npy").c_str(), source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  zip_close(archive);
}

}  // namespace manyverbs
