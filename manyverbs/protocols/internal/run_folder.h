// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/labels/targets.h"
#include "manyverbs/learning/internal/course.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

/// What runs on features and runs on clips have in common.

/// Makes a run folder with this run.json, or makes sure that the run it holds is that one. Nobody
/// else works there while the lock lives. Throws Error when it holds another run or other files, or
/// another process is at work there.
FileLock claim_folder(const std::filesystem::path& folder, const Json& record);

/// Single labels can only be judged by top-1 accuracy. Where test clips choose the epoch, all of
/// kTableMetrics are logged: the paper's text chooses by accuracy, its released code by IOU. The
/// judge keeps a reference to the truth.
Judge judge_for(const LabelMatrix& truth, bool is_test, Recipe recipe);

}  // namespace manyverbs
