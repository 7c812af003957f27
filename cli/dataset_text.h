// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "manyverbs/decoding/frame_index.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs::cli {

/// A count as people read it: "12,000".
std::string grouped(std::int64_t count);

/// A count and its name in words that fit: "1 class", "12,000 clips".
std::string counted(std::int64_t count, const std::string& one, const std::string& several);

/// A share in percent, "12.5 %", or a dash where it is not defined.
std::string percent(double share);

/// "kitchen (my set)": a folder, with the name of its data set where that differs.
std::string titled(const Dataset& dataset);

/// Lines "  train    8,000" for the splits that have clips.
std::string split_lines(const Dataset& dataset);

/// What problem_lines() says, for programs: [{"clip": "carrot_7", "problem": "…"}].
Json problems_json(const Dataset& dataset, const std::vector<ClipProblem>& problems);

/// A path as a word of a command line, quoted where a shell would take it apart.
std::string shell_word(const std::filesystem::path& path);

}  // namespace manyverbs::cli
