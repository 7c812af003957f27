// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "manyverbs/features/internal/safetensors.h"

namespace manyverbs {

/// Weights that PyTorch saved: `.pth`, `.pt` or `.ckpt`, a zip archive or, before PyTorch 1.6, a
/// row of pickles. Nothing in the file is executed.
///
/// What dictionaries and lists hold gets the path to it as its name, "state_dict.fc.weight".
/// Tensors of floats become float32, others stay what they are; `metadata` has the numbers and
/// texts. Throws Error for a file that is cut short or damaged, for one that asks for a function
/// or class that has no place among weights, which it names, and for one without any tensor.
TensorFile read_pth(const std::filesystem::path& path);

/// By the ending of the name: read_tensors for `.safetensors`, read_pth for anything else.
TensorFile read_weights(const std::filesystem::path& path);

}  // namespace manyverbs
