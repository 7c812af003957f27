// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "manyverbs/decoding/internal/frame_index.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs::cli {

/// A number with thousands separators: "12,000".
std::string grouped(std::int64_t count);

/// A number with a noun: "1 class", "12,000 clips".
std::string counted(std::int64_t count, const std::string& one, const std::string& several);

/// A share in percent, "12.5 %", or a dash if undefined.
std::string percent(double share);

/// "kitchen (my set)": a folder, with the name of its data set if different.
std::string titled(const Dataset& dataset);

/// Lines "  train    8,000" for the splits with clips.
std::string split_lines(const Dataset& dataset);

/// problem_lines() as JSON: [{"clip": "carrot_7", "problem": "…"}].
Json problems_json(const Dataset& dataset, const std::vector<ClipProblem>& problems);

/// A path as a shell word, quoted if necessary.
std::string shell_word(const std::filesystem::path& path);

}  // namespace manyverbs::cli
