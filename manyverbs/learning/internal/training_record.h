// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// What a checkpoint says about the training beside its tensors, as the metadata "training".
/// Whether it is finished is not among it: that follows from the settings.
struct TrainingRecord {
  std::int64_t steps = 0;
  TrainingHistory history;
  PartialEpoch partial;
};

std::string text_of(const TrainingRecord& record);
/// Throws Error that names the file when it is damaged.
TrainingRecord read_training_record(const TensorFile& file, const std::filesystem::path& path);

}  // namespace manyverbs
