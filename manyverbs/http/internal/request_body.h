// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "manyverbs/http/internal/http_error.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Validated access to request bodies.

/// Maximum nesting depth of a body; an answer has depth 3. Copying and comparing deeply nested
/// values would use a stack frame per level.
inline constexpr int kDeepestBody = 16;

/// Parses the body of a request. Throws HttpError (400) if it is not a JSON object or nested too
/// deeply.
inline Json body_json(const std::string& body) {
  const auto refuse_deep = [](int depth, Json::parse_event_t event, const Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= kDeepestBody) {
      throw HttpError(400, "the request body is nested more than {} levels deep", kDeepestBody);
    }
    return true;
  };
  Json json = Json::parse(body, refuse_deep, false);
  if (!json.is_object()) throw HttpError(400, "the body of the request is not a JSON object");
  return json;
}

/// The value of a key. Throws HttpError (400) that names the key when it is missing, of another
/// kind or too large: 2.5 is no int, and neither is "2".
template <typename T>
T body_value(const Json& body, const std::string& key) {
  const auto place = body.is_object() ? body.find(key) : body.end();
  if (!body.is_object() || place == body.end())
    throw HttpError(400, "the key '{}' is missing", key);
  try {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (place->is_number_integer()) {
        const auto value = place->get<std::int64_t>();
        const bool fits = value >= std::numeric_limits<T>::min() &&
                          value <= std::numeric_limits<T>::max() &&
                          (!place->is_number_unsigned() || value >= 0);
        if (fits) return static_cast<T>(value);
      }
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, bool> ||
                         std::is_same_v<T, double>) {
      return place->get<T>();
    } else if constexpr (std::is_same_v<T, Json>) {
      return *place;
    } else {
      T list;
      for (const Json& each : *place) {
        list.push_back(body_value<typename T::value_type>({{"item", each}}, "item"));
      }
      if (place->is_array()) return list;
    }
  } catch (const nlohmann::json::exception&) {  // refused below
  }
  throw HttpError(400, "the key '{}' has an invalid value", key);
}

}  // namespace manyverbs
