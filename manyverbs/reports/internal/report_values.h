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

/// Helpers shared by the charts of a report.

/// A number with five significant digits, null if NaN or infinite: 0.123456 gives 0.12346.
Json short_number(double value);

/// A name of at most 300 columns; see shortened().
std::string report_name(std::string_view name);

/// The names of classes, in the given order.
Json class_names(const std::vector<ClassId>& classes, const Vocabulary& vocabulary);

/// The video of a clip for a page: {"src", "start", "stop"}, with src relative to the folder of the
/// page. Nothing if the clip has no video or the file does not exist.
std::optional<Json> video_json(const Clip& clip, const std::filesystem::path& dataset_folder,
                               const std::filesystem::path& page_folder);

/// Indices of at most `count` varied examples. Repeatedly takes the item with the highest value,
/// reduced by half a point for each time its classes were shown already (mean over its classes);
/// the first one of equal items. Items with a value below 0 are never taken. Values {1, 1, 0.8},
/// classes {{0}, {0}, {1}} and count 2 give {0, 2}.
std::vector<int> varied_choice(std::span<const double> values,
                               std::span<const std::vector<ClassId>> classes, int count);

}  // namespace manyverbs
