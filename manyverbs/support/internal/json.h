// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "manyverbs/support/error.h"

namespace manyverbs {

/// JSON that keeps the order in which keys were written, so that files read as they were meant.
using Json = nlohmann::ordered_json;

/// Throws Error with file and position for text that is not JSON, with the file for a number that
/// is too large.
Json read_json(const std::filesystem::path& path);
/// Replaces the file; two spaces of indentation and a line break at the end. Throws Error for text
/// that is not UTF-8.
void write_json(const std::filesystem::path& path, const Json& json);

/// A number, or null where it is not defined: JSON has no NaN.
inline Json number_or_null(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

/// The value of a key; throws Error that names file and key when it is missing or of another kind.
template <typename T>
T json_value(const Json& json, const std::string& key, const std::filesystem::path& path) {
  if (!json.is_object() || !json.contains(key)) {
    throw Error("{}: the key '{}' is missing", path.string(), key);
  }
  try {
    return json.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error("{}: the key '{}' holds {}, which does not fit", path.string(), key,
                json.at(key).dump());
  }
}

}  // namespace manyverbs
