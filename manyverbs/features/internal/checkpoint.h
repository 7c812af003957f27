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

/// Weights of a Tsm from files of several origins, which name the same layers differently.

enum class CheckpointKind {
  Torchvision,  ///< "layer1.0.conv1.weight", "fc.weight"
  Tsm,       ///< mit-han-lab: "module.base_model.layer1.0.conv1.net.weight", "module.new_fc.weight"
  Epic,      ///< EPIC-Kitchens C1: "model.base_model. …", verbs and nouns in one classifier
  Mmaction,  ///< "backbone.layer1.0.conv1.conv.net.weight", "cls_head.fc_cls.weight"
  Manyverbs,  ///< written by finetune: Tsm::state() with checkpoint_metadata()
};
/// For messages: "torchvision", "TSM" …
std::string_view kind_name(CheckpointKind kind);

/// Normalises the network input, whose values are from 0 to 1: (x - mean) / std.
struct Normalisation {
  std::array<double, 3> mean = {0.485, 0.456, 0.406};  ///< red, green, blue
  std::array<double, 3> std = {0.229, 0.224, 0.225};
  bool blue_first = false;  ///< BGR instead of RGB
  double flow_mean = 0.5;   ///< for both flow channels
  double flow_std = 0.226;

  bool operator==(const Normalisation&) const = default;
};

struct Checkpoint {
  std::filesystem::path path;
  CheckpointKind kind = CheckpointKind::Torchvision;
  TsmShape shape;  ///< segments and shift have defaults if the file does not specify them
  Normalisation normalisation;
  int size = 0;  ///< input size in training, in pixels; 0 if the file does not specify it
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< with the names of Tsm::state()
  std::vector<std::string> unused;  ///< names in the file that match no layer
};

/// Reads `.pth`, `.pt`, `.ckpt` or `.safetensors`. Throws Error if the file cannot be read or
/// contains no ResNet of a supported depth.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// Which tensors were not copied unchanged.
struct CheckpointFit {
  std::vector<std::string> remarks;  ///< one line each, for users
};

/// Copies the weights. An RGB input convolution is converted for flow: each of the 10 channels gets
/// the mean over red, green and blue. A classifier with another number of classes keeps its random
/// initialisation, except that the first 97 rows of EPIC-Kitchens classifiers are the verbs. Throws
/// Error with the names if layers are missing or have another shape.
CheckpointFit load_checkpoint(const Checkpoint& checkpoint, Tsm* tsm);

/// The metadata of a safetensors file with Tsm::state(), by which read_checkpoint recognises
/// CheckpointKind::Manyverbs; `size` as in Checkpoint.
std::map<std::string, std::string> checkpoint_metadata(const TsmShape& shape,
                                                       const Normalisation& normalisation,
                                                       int size = 0);

}  // namespace manyverbs
