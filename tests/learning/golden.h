// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// The output of tests/golden/NAME.py.
inline Json read_golden(const std::string& name) {
  return read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / (name + ".json"));
}

/// The numbers of a list, or of concatenated lists.
inline std::vector<float> floats_of(const Json& json) {
  if (!json.is_array()) return {json.get<float>()};
  std::vector<float> floats;
  for (const Json& entry : json) {
    const std::vector<float> inner = floats_of(entry);
    floats.insert(floats.end(), inner.begin(), inner.end());
  }
  return floats;
}

}  // namespace manyverbs
