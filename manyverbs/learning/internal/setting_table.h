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

/// Each setting of a run is a row of one table, from which options and help texts of `train`,
/// `finetune`, `compare`, `ablate` and `sweep`, run.json, and the tables in docs/commands.md are
/// generated. A new setting is a member of RunSettings and a row here.

/// A pointer to the value of a setting. Enumerations are read and written as words.
using SettingPlace =
    std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::filesystem::path*,
                 std::vector<int>*, std::vector<std::string>*, Recipe*, Protocol*, Schedule*,
                 Metric*, Stream*>;

/// The valid range of a number.
struct SettingRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool without_low = false;  ///< `low` itself is not valid

  bool has(double value) const {
    return value >= low && value <= high && !(without_low && value == low);
  }
};

enum class SettingOf { Features, Clips, Both };

struct Setting {
  std::string_view key;   ///< in run.json: "learning_rate"
  std::string_view flag;  ///< "--lr"; for a bool, it inverts the default: "--no-mirror"
  SettingOf of;
  SettingPlace (*place)(RunSettings& settings);
  std::string_view help;  ///< one line, no full stop
  SettingRange range = {};
  /// The valid words, for an enumeration in its order; null if any text is valid.
  std::vector<std::string> (*words)() = nullptr;
  /// The losses that use it, comma-separated; empty: all.
  std::string_view losses = "";
  /// Whether it is in run.json; those with a list of losses, except for pseudo-labels, only in runs
  /// with such a loss. The others have no effect on the result.
  bool stored = true;
  /// Whether run.json of older versions lacks it; then it has its default.
  bool is_new = false;

  bool is_used_by(std::string_view loss) const;
  bool is_of(RunKind kind) const {
    return of == SettingOf::Both || (of == SettingOf::Features) == (kind == RunKind::Features);
  }
};
/// In the order of help texts and run.json. A key has at most one row per kind of run.
std::span<const Setting> all_settings();

/// The value as JSON.
Json setting_value(const Setting& setting, const RunSettings& settings);

/// Throws Error if a setting of the loss of the run is outside its range, if the expected number of
/// labels is required and missing, or greater than the number of classes, if the loss needs
/// cross-fitting, which runs on clips do not have, or if the hidden units cannot be divided into
/// members.
void check_loss(const RunSettings& settings, int classes);

/// The inverse of run_kind_name(). Throws Error with the file for other words.
RunKind find_run_kind(const std::string& name, const std::filesystem::path& path);

/// The stored settings that apply to the kind of run.
Json to_json(const RunSettings& settings);
/// Inverse of to_json(). Throws Error with the file for a missing key, a value of a wrong type or
/// an unknown word.
RunSettings settings_of(const Json& json, RunKind kind, const std::filesystem::path& path);

}  // namespace manyverbs
