// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "manyverbs/server/internal/refusal.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What browsers send, checked.

/// How many lists and objects may stand inside each other. An answer has 3; copies and comparisons
/// of deep ones take a piece of the stack for each.
inline constexpr int kDeepestBody = 16;

/// The object of a request's body. Throws Refusal (400) when it is none or too deep.
inline Json body_json(const std::string& body) {
  const auto refuse_deep = [](int depth, Json::parse_event_t event, const Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= kDeepestBody) {
      throw Refusal(400, "the body of the request is nested more than {} deep", kDeepestBody);
    }
    return true;
  };
  Json json = Json::parse(body, refuse_deep, false);
  if (!json.is_object()) throw Refusal(400, "the body of the request is not a JSON object");
  return json;
}

/// The value of a key. Throws Refusal (400) that names the key when it is missing, of another kind
/// or too large: 2.5 is no int, and neither is "2".
template <typename T>
T body_value(const Json& body, const std::string& key) {
  const auto place = body.is_object() ? body.find(key) : body.end();
  if (!body.is_object() || place == body.end()) throw Refusal(400, "the key '{}' is missing", key);
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
  throw Refusal(400, "the key '{}' holds something that does not fit", key);
}

}  // namespace manyverbs
