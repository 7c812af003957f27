// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/video_prediction.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "manyverbs/features/extraction.h"
#include "manyverbs/protocols/internal/clip_runs.h"
#include "manyverbs/protocols/runs.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

std::filesystem::path make_temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "manyverbs-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("{}: cannot be made", name);
  return name;
}

// The name, with a number behind it where a clip has it already.
std::string unused_name(const std::string& name, const std::vector<Clip>& clips) {
  std::string unused = name;
  const auto is_taken = [&](const Clip& clip) { return clip.name == unused; };
  for (int i = 2; std::any_of(clips.begin(), clips.end(), is_taken); ++i) {
    unused = fmt::format("{} ({})", name, i);
  }
  return unused;
}

void make_flow(const Dataset& videos, const Dataset& learnt_from) {
  compute_flow(videos, flow_settings(learnt_from), OnError::Stop);
}

void make_features(const Dataset& videos, const Dataset& learnt_from, const std::string& stream) {
  ExtractionSettings settings = recorded_extraction(learnt_from, stream);
  settings.on_error = OnError::Stop;
  if (settings.backbone.stream == Stream::Flow) make_flow(videos, learnt_from);
  extract_features(videos, prepare_backbone(settings.backbone), settings);
}

}  // namespace

VideoSet::VideoSet() { dataset_.folder = make_temporary_folder(); }

// Once the constructor above has returned, the folder goes away even if this one throws.
VideoSet::VideoSet(const std::vector<std::string>& videos, OnError on_error) : VideoSet() {
  for (const std::string& video : videos) {
    Clip clip;
    clip.name = unused_name(folder_name(video), dataset_.clips);
    clip.split = Split::Test;
    clip.video = std::filesystem::absolute(video).string();
    dataset_.clips.push_back(clip);
  }
  const FrameIndex index = index_frames(dataset_, on_error);
  for (const ClipProblem& problem : index.problems) problems_.push_back(problem.what);
  std::vector<Clip> usable;
  for (std::size_t i = 0; i < videos.size(); ++i) {
    if (!index.clips[i]) continue;
    usable.push_back(dataset_.clips[i]);
    videos_.push_back(videos[i]);
  }
  dataset_.clips = std::move(usable);
}

VideoSet::~VideoSet() {
  std::error_code ignored;
  std::filesystem::remove_all(dataset_.folder, ignored);
}

Matrix<float> VideoSet::probabilities(const TrainedModel& model) const {
  if (const auto* on_features = dynamic_cast<const TrainedRun*>(&model)) {
    const Dataset learnt_from = model.dataset();
    for (const std::string& stream : on_features->run().settings.features.streams) {
      make_features(dataset_, learnt_from, stream);
    }
  } else if (const auto* on_clips = dynamic_cast<const TrainedClipRun*>(&model)) {
    if (on_clips->run().settings.clips.stream == Stream::Flow) {
      make_flow(dataset_, model.dataset());
    }
  }
  std::vector<int> clips(dataset_.clips.size());
  std::iota(clips.begin(), clips.end(), 0);
  return model.probabilities(dataset_, clips);
}

}  // namespace manyverbs
