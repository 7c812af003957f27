// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// Small things that all figures of a report are made of.

/// With five significant digits, null where it is NaN or infinite: 0.123456 gives 0.12346.
Json short_number(double value);

/// A name of at most 300 columns; see shortened().
std::string report_name(std::string_view name);

/// The names of classes, in the order given.
Json class_names(const std::vector<ClassId>& classes, const Vocabulary& vocabulary);

/// Where a page finds the video of a clip: {"src", "start", "stop"}, with src a path that starts at
/// the page's folder. Nothing where the clip has no video or the file is not there.
std::optional<Json> video_json(const Clip& clip, const std::filesystem::path& dataset_folder,
                               const std::filesystem::path& page_folder);

/// Positions of at most `count` things to show: one after the other the one that is worth most,
/// less half a point for each time that its classes, on average, were shown already; of equals the
/// first. What is worth less than 0 is never shown. Worth {1, 1, 0.8}, classes {{0}, {0}, {1}} and
/// count 2 give {0, 2}.
std::vector<int> varied_choice(std::span<const double> worth,
                               std::span<const std::vector<ClassId>> classes, int count);

}  // namespace manyverbs
