// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/learning/internal/training_loop.h"

namespace manyverbs {

/// The state of a training without tensors, stored as the metadata "training" of a checkpoint.
/// `finished` is not stored; it follows from the settings.
struct TrainingRecord {
  std::int64_t steps = 0;
  TrainingHistory history;
  PartialEpoch partial;
};

std::string text_of(const TrainingRecord& record);
/// Throws Error with the file if it is damaged.
TrainingRecord read_training_record(const TensorFile& file, const std::filesystem::path& path);

}  // namespace manyverbs
