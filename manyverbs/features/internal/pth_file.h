// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/features/internal/safetensors.h"

namespace manyverbs {

/// Reads weights saved by PyTorch: `.pth`, `.pt` or `.ckpt`, a zip archive or, before PyTorch 1.6,
/// a sequence of pickles. Nothing in the file is executed.
///
/// The name of a tensor is its path in the dictionaries and lists, "state_dict.fc.weight". Floating
/// point tensors are converted to float32, others are unchanged; `metadata` has numbers and texts.
/// Throws Error if the file is truncated or damaged, has no tensors, or refers to a function or
/// class that weights do not need.
TensorFile read_pth(const std::filesystem::path& path);

/// Calls read_tensors for `.safetensors` files, read_pth for others.
TensorFile read_weights(const std::filesystem::path& path);

}  // namespace manyverbs
