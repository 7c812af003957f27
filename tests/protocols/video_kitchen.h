// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/demo/internal/kitchen_clips.h"
#include "manyverbs/features/internal/extraction.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/protocols/internal/clip_runs.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {

/// A data set of a few rendered videos, and settings for a very short training.
class VideoKitchen : public testing::Test {
 protected:
  VideoKitchen() {
    write_kitchen_clips(
        scratch_ / "kitchen",
        {.train = 24, .val = 8, .test = 6, .scenes = {.size = {48, 36}, .frames = 10}});
    kitchen_ = read_dataset(scratch_ / "kitchen");
  }

  static RunSettings quick(const std::string& loss) {
    RunSettings settings = default_settings(RunKind::Clips);
    settings.loss = loss;
    settings.learning_rate = 0.01;
    settings.batch = 8;
    settings.epochs = 4;
    settings.checkpoint_seconds = 0;
    settings.clips.backbone = "resnet10";
    settings.clips.width = 8;
    settings.clips.segments = 4;
    settings.clips.size = 32;
    settings.clips.refresh = {.every = 2, .k = 3};
    return settings;
  }

  /// Weights of a small network in the scratch folder: rgb.safetensors, flow.safetensors.
  std::filesystem::path write_weights(Stream stream) const {
    const Tsm tsm(
        {.depth = 10, .segments = 4, .input_channels = input_channels(stream), .width = 8}, 7);
    const auto file = scratch_ / (std::string(stream_name(stream)) + ".safetensors");
    write_tensors(file, {tsm.state(), checkpoint_metadata(tsm.shape(), {})});
    return file;
  }

  /// Extracts features with these weights, or random ones, and trains the run "run" on them.
  void train_on_features(const std::vector<Stream>& streams, FlowMethod method = FlowMethod::Dis,
                         NumberType type = NumberType::Float32, bool random = false) const {
    for (const Stream stream : streams) {
      if (stream == Stream::Flow) {
        compute_flow(kitchen_, {.method = method, .short_side = 48}, OnError::Stop);
      }
      ExtractionSettings settings;
      settings.backbone.stream = stream;
      settings.backbone.backbone = "resnet10";
      settings.backbone.width = 8;
      settings.backbone.segments = 4;
      if (!random) settings.backbone.weights = write_weights(stream);
      settings.size = 32;
      settings.type = type;
      extract_features(kitchen_, prepare_backbone(settings.backbone), settings);
    }
    train_run(kitchen_, quick_run("an"), scratch_ / "run");
  }

  ScratchFolder scratch_;
  Dataset kitchen_;
};

}  // namespace manyverbs
