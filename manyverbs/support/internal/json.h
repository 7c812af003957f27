// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "manyverbs/support/error.h"

namespace manyverbs {

/// JSON that preserves the order of keys.
using Json = nlohmann::ordered_json;

/// Throws Error with file and position for invalid JSON, and with the file for a number that is too
/// large.
Json read_json(const std::filesystem::path& path);
/// Replaces the file atomically, with an indentation of two spaces. Throws Error for text that is
/// not UTF-8.
void write_json(const std::filesystem::path& path, const Json& json);

/// A number, or null for NaN, which JSON does not have.
inline Json number_or_null(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

/// The value of a key; throws Error with file and key if it is missing or has another type.
template <typename T>
T json_value(const Json& json, const std::string& key, const std::filesystem::path& path) {
  if (!json.is_object() || !json.contains(key)) {
    throw Error("{}: the key '{}' is missing", path.string(), key);
  }
  try {
    return json.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error("{}: the key '{}' has the invalid value {}", path.string(), key,
                json.at(key).dump());
  }
}

}  // namespace manyverbs
