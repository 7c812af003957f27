// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manyverbs/learning/settings.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Every setting of a run is a row of one table. The options of `train`, `finetune`, `compare`,
/// `ablate` and `sweep`, their help texts, run.json and the tables in docs/commands.md follow from
/// it. A new setting is a member of RunSettings and a row here.

/// Where the value of a setting is. An enumeration is read and written as a word.
using SettingPlace =
    std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::filesystem::path*,
                 std::vector<int>*, std::vector<std::string>*, Recipe*, Protocol*, Schedule*,
                 Metric*, Stream*>;

/// The numbers that a setting may have.
struct SettingRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool without_low = false;  ///< above `low`, not `low` itself
};

enum class SettingOf { Features, Clips, Both };

struct Setting {
  std::string_view key;   ///< in run.json: "learning_rate"
  std::string_view flag;  ///< "--lr"; that of a bool changes its default: "--no-mirror"
  SettingOf of;
  SettingPlace (*place)(RunSettings& settings);
  std::string_view help;  ///< one line, no full stop
  SettingRange range = {};
  /// The words it may have, for an enumeration in its order; nullptr where any will do.
  std::vector<std::string> (*words)() = nullptr;
  /// The losses that it matters to, with commas between; empty: all.
  std::string_view losses = "";
  /// Whether it is in run.json. One that is not has no influence on the result.
  bool stored = true;

  bool is_of(RunKind kind) const {
    return of == SettingOf::Both || (of == SettingOf::Features) == (kind == RunKind::Features);
  }
};
/// In the order of help texts and of run.json. A key has one row for each kind of run at most.
std::span<const Setting> all_settings();

/// The value as JSON has it.
Json setting_value(const Setting& setting, const RunSettings& settings);

/// The stored settings of a run's kind.
Json to_json(const RunSettings& settings);
/// The settings that `json` holds. Throws Error that names the file for a key that is missing, a
/// value of another type or a word that is not among the valid ones.
RunSettings settings_of(const Json& json, RunKind kind, const std::filesystem::path& path);

}  // namespace manyverbs
