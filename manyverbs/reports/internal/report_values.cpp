// SPDX-License-Identifier: MIT
#include "manyverbs/reports/internal/report_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "manyverbs/support/internal/display.h"

namespace manyverbs {
namespace {

constexpr int kLongestName = 300;

double times_shown(const std::vector<ClassId>& classes,
                   const std::unordered_map<ClassId, int>& shown) {
  double times = 0;
  for (const ClassId id : classes) {
    const auto found = shown.find(id);
    if (found != shown.end()) times += found->second;
  }
  return classes.empty() ? 0 : times / static_cast<double>(classes.size());
}

}  // namespace

Json short_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::round(value) && std::abs(value) < 1e5) return static_cast<int>(value);
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

std::string report_name(std::string_view name) { return shortened(name, kLongestName); }

Json class_names(const std::vector<ClassId>& classes, const Vocabulary& vocabulary) {
  Json names = Json::array();
  for (const ClassId id : classes) names.push_back(report_name(vocabulary.name(id)));
  return names;
}

std::optional<Json> video_json(const Clip& clip, const std::filesystem::path& dataset_folder,
                               const std::filesystem::path& page_folder) {
  if (clip.video.empty()) return std::nullopt;
  std::error_code problem;
  const std::filesystem::path file =
      std::filesystem::weakly_canonical(dataset_folder / clip.video, problem);
  if (problem || !std::filesystem::is_regular_file(file, problem)) return std::nullopt;
  if (file.extension() == ".tar" || clip.start_frame || clip.stop_frame) return std::nullopt;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(
      page_folder.empty() ? std::filesystem::path(".") : page_folder, problem);
  const auto seconds = [](const std::optional<double>& time) {
    return time ? Json(*time) : Json(nullptr);
  };
  // With a leading "./", a folder named "c:" is not taken for a URL scheme.
  return Json{{"src", "./" + file.lexically_proximate(folder).generic_string()},
              {"start", seconds(clip.start)},
              {"stop", seconds(clip.stop)}};
}

std::vector<int> varied_choice(std::span<const double> values,
                               std::span<const std::vector<ClassId>> classes, int count) {
  std::vector<int> chosen;
  std::vector<bool> taken(values.size());
  std::unordered_map<ClassId, int> shown;
  while (static_cast<int>(chosen.size()) < count) {
    int best = -1;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (taken[i] || !(values[i] >= 0)) continue;
      const double value = values[i] - times_shown(classes[i], shown) / 2;
      if (value <= highest) continue;
      highest = value;
      best = static_cast<int>(i);
    }
    if (best < 0) break;
    taken[best] = true;
    chosen.push_back(best);
    for (const ClassId id : classes[best]) ++shown[id];
  }
  return chosen;
}

}  // namespace manyverbs
