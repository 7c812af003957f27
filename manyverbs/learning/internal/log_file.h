// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/learning/history.h"

namespace manyverbs {

/// log.csv of a run folder: one line per epoch.
///
///   epoch,train_loss,validation_loss,reciprocal_rank,top1
///   1,0.693,0.691,0.11,0.04
struct TrainingLog {
  std::vector<std::string>
      names;  ///< of the values of the scorer; the first selects the best epoch
  std::vector<EpochRecord> epochs;
};

void write_log(const std::filesystem::path& run_folder, const TrainingLog& log);
/// Throws Error with file and line if a value is not a number. Undefined values are NaN.
TrainingLog read_log(const std::filesystem::path& run_folder);

}  // namespace manyverbs
