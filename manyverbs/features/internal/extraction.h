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

/// The features of all clips of a data set: DATASET/features/rgb.npy or flow.npy, one row per clip,
/// and a .json file that records how they were made.

struct BackboneSettings {
  Stream stream = Stream::Rgb;
  std::filesystem::path weights;  ///< empty: random weights
  std::string backbone;           ///< "resnet50"; empty: that of the weights, or resnet50
  int width = 64;                 ///< channels of the first convolution, with random weights
  int segments = 0;               ///< frames per clip; 0: that of the weights, or 8
  int classes = 0;                ///< of the classifier; 0: none
  std::uint64_t seed = 1;         ///< of random initialisation
};

/// A network with its weights, and remarks on them for the user.
struct PreparedBackbone {
  Tsm tsm;
  Normalisation normalisation;
  std::string origin;  ///< "torchvision", …, or "random"
  std::vector<std::string> remarks;
  int size = 0;  ///< input size in training, in pixels; 0: unknown
};
/// Throws Error if the weights cannot be read or belong to another network.
PreparedBackbone prepare_backbone(const BackboneSettings& settings);

/// The input of the network for clips of a stream, `size` pixels wide and high; in testing, frames
/// and crop are those of the paper or, if `released`, of the released code.
ClipSettings clip_settings(const PreparedBackbone& backbone, Stream stream, int size,
                           bool released);

struct ExtractionSettings {
  BackboneSettings backbone;
  int size = 0;                           ///< input size in pixels; 0: that of the weights, or 224
  int batch = 1;                          ///< clips per batch and core
  NumberType type = NumberType::Float32;  ///< or Float16
  OnError on_error = OnError::Stop;
  bool released = false;  ///< frames and crop as in the released code
  bool replace = false;   ///< overwrite features made with other settings
  int peek = 0;           ///< clips whose inputs are written to DATASET/peek
};

struct ExtractionReport {
  std::filesystem::path file;
  int computed = 0;
  int kept = 0;  ///< reused from an earlier call
  int columns = 0;
  std::vector<ClipProblem> problems;  ///< their rows are zero
  std::vector<std::filesystem::path> pictures;
};

/// Each core decodes and computes one batch at a time, so memory is bounded by the number of cores.
/// If killed, the next call resumes; the result depends neither on that nor on the number of cores.
/// Clips that an earlier call skipped are tried again. Throws Error if features made with other
/// settings exist.
ExtractionReport extract_features(const Dataset& dataset, const PreparedBackbone& backbone,
                                  const ExtractionSettings& settings);

}  // namespace manyverbs
