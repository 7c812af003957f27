// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace manyverbs {

/// The index of a class in the vocabulary: 0 .. C - 1.
using ClassId = std::int32_t;

/// The class names of a data set: "cut", "peel", "remove". Names are unique, not empty, and contain
/// no ';', which separates labels in clips.csv.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// Throws Error if a name is empty, duplicate, not UTF-8 or contains a ';'.
  explicit Vocabulary(std::vector<std::string> names);

  int size() const { return static_cast<int>(names_.size()); }
  const std::string& name(ClassId id) const { return names_[id]; }
  const std::vector<std::string>& names() const { return names_; }
  /// The class with this name, or -1.
  ClassId find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, ClassId> ids_;
};

/// classes.csv: columns id and name, ids 0, 1, 2 … in order; white space around names is removed.
Vocabulary read_vocabulary(const std::filesystem::path& path);
void write_vocabulary(const std::filesystem::path& path, const Vocabulary& classes);

}  // namespace manyverbs
