// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "manyverbs/learning/internal/setting_table.h"

namespace manyverbs {

/// The numbers of a loss from a golden file, by their keys in run.json; the others are defaults.
inline LossSettings loss_settings_of(const Json& json) {
  RunSettings settings;
  for (const Setting& setting : all_settings()) {
    const auto found = json.find(setting.key);
    if (found == json.end()) continue;
    std::visit(
        [&](auto* value) {
          if constexpr (std::is_arithmetic_v<std::remove_pointer_t<decltype(value)>>) {
            *value = found->get<std::remove_pointer_t<decltype(value)>>();
          }
        },
        setting.place(settings));
  }
  return settings.loss_settings;
}

}  // namespace manyverbs
