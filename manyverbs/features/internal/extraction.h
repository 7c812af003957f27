// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/features/internal/clip_source.h"
#include "manyverbs/features/internal/tsm.h"

namespace manyverbs {

/// The features of every clip of a data set: DATASET/features/rgb.npy or flow.npy, one row a clip,
/// and a .json beside it that says how they were made.

struct BackboneSettings {
  Stream stream = Stream::Rgb;
  std::filesystem::path weights;  ///< empty: random weights
  std::string backbone;           ///< "resnet50"; empty: that of the weights, else resnet50
  int width = 64;                 ///< channels of the first convolution, with random weights
  int segments = 0;               ///< frames a clip; 0: as the weights say, else 8
  int classes = 0;                ///< of the classifier; 0: none
  std::uint64_t seed = 1;         ///< of what starts at random
};

/// A network with its weights, and what to tell the user about them.
struct PreparedBackbone {
  Tsm tsm;
  Normalisation normalisation;
  std::string origin;  ///< "torchvision", …, or "random"
  std::vector<std::string> remarks;
  int size = 0;  ///< pixels each way that the weights were trained with; 0: not known
};
/// Throws Error when the weights cannot be read or are of another network.
PreparedBackbone prepare_backbone(const BackboneSettings& settings);

/// How such a network sees clips of a stream in `size` pixels each way, with the frames and the
/// crop of testing as the paper says or as the released code chooses them.
ClipSettings clip_settings(const PreparedBackbone& backbone, Stream stream, int size,
                           bool released);

struct ExtractionSettings {
  BackboneSettings backbone;
  int size = 0;                           ///< pixels each way; 0: as the weights say, else 224
  int batch = 1;                          ///< clips that a core computes at once
  NumberType type = NumberType::Float32;  ///< or Float16
  OnError on_error = OnError::Stop;
  bool released = false;  ///< frames and crop as the released code chooses them
  bool replace = false;   ///< write over features that were made otherwise
  int peek = 0;           ///< clips to draw into DATASET/peek
};

struct ExtractionReport {
  std::filesystem::path file;
  int computed = 0;
  int kept = 0;  ///< there already, from a call that was interrupted or complete
  int columns = 0;
  std::vector<ClipProblem> problems;  ///< their rows are zero
  std::vector<std::filesystem::path> pictures;
};

/// One core decodes and computes one batch, all cores do so at the same time; memory is bounded by
/// their number. A call that is killed resumes when it is repeated; the result does not depend on
/// that, nor on the number of cores. Clips that an earlier call skipped are tried again. Throws
/// Error when features of other settings are there.
ExtractionReport extract_features(const Dataset& dataset, const PreparedBackbone& backbone,
                                  const ExtractionSettings& settings);

}  // namespace manyverbs
