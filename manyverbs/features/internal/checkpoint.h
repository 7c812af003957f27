// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// Weights of a Tsm from files of several origins, each with names of its own for the same layers.

enum class CheckpointKind {
  Torchvision,  ///< "layer1.0.conv1.weight", "fc.weight"
  Tsm,       ///< mit-han-lab: "module.base_model.layer1.0.conv1.net.weight", "module.new_fc.weight"
  Epic,      ///< EPIC-Kitchens C1: "model.base_model. …", verbs and nouns in one classifier
  Mmaction,  ///< "backbone.layer1.0.conv1.conv.net.weight", "cls_head.fc_cls.weight"
  Manyverbs,  ///< ours: Tsm::state() with checkpoint_metadata(), as finetune writes it
};
/// "torchvision", "TSM" and so on, as people call them.
std::string_view kind_name(CheckpointKind kind);

/// What a picture's samples, from 0 to 1, become before the network sees them: (x - mean) / std.
struct Normalisation {
  std::array<double, 3> mean = {0.485, 0.456, 0.406};  ///< red, green, blue
  std::array<double, 3> std = {0.229, 0.224, 0.225};
  bool blue_first = false;  ///< the network's first channel is blue
  double flow_mean = 0.5;   ///< of flow in both directions, encoded in 0 to 1
  double flow_std = 0.226;

  bool operator==(const Normalisation&) const = default;
};

struct Checkpoint {
  std::filesystem::path path;
  CheckpointKind kind = CheckpointKind::Torchvision;
  TsmShape shape;  ///< as the file has it; segments and shift only where it says so, else as usual
  Normalisation normalisation;
  int size = 0;  ///< pixels each way that it was trained with; 0: the file does not say
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< by the names of Tsm::state()
  std::vector<std::string> unused;  ///< names in the file that no ResNet has a place for
};

/// Reads `.pth`, `.pt`, `.ckpt` or `.safetensors`. Throws Error when the file cannot be read or
/// holds no ResNet of a known depth.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// What became of each name that did not simply fit; everything else was copied.
struct CheckpointFit {
  std::vector<std::string> remarks;  ///< one line each, for users
};

/// Copies the weights. A first convolution for pictures becomes one for flow: the mean over red,
/// green and blue in each of the 10 channels. A classifier of another number of classes stays at
/// its random start, except that of EPIC-Kitchens, whose first 97 rows are the verbs. Throws Error
/// that names the keys when a layer is missing or of another shape.
CheckpointFit load_checkpoint(const Checkpoint& checkpoint, Tsm* tsm);

/// What a safetensors file of Tsm::state() says about itself, so that read_checkpoint knows it as
/// ours; `size` as in Checkpoint.
std::map<std::string, std::string> checkpoint_metadata(const TsmShape& shape,
                                                       const Normalisation& normalisation,
                                                       int size = 0);

}  // namespace manyverbs
