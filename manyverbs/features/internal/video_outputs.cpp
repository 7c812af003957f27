// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/video_outputs.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "manyverbs/decoding/internal/chosen_pictures.h"
#include "manyverbs/decoding/internal/flow_in_memory.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

bool reads_flow(const VideoNetwork& network) { return network.clips.input.stream == Stream::Flow; }

std::vector<int> flow_fields(const VideoNetwork& network, int frames) {
  return test_pictures(num_flow_fields(frames), network.clips);
}

PictureChoice choice_of(const VideoNetwork& network) {
  if (reads_flow(network)) {
    return {{Colour::Grey, network.flow.short_side}, [&network](int frames) {
              return frames_for_flow(flow_fields(network, frames), frames);
            }};
  }
  return {{Colour::Rgb, network.clips.input.test_short_side},
          [&network](int frames) { return test_pictures(frames, network.clips); }};
}

// The network input, from the frames selected by choice_of().
at::Tensor tensor_of(const VideoNetwork& network, int frames, const std::map<int, Image>& chosen) {
  const View view = test_view(network.clips.input);
  std::vector<Image> pictures;
  if (reads_flow(network)) {
    pictures = flow_in_memory(chosen, flow_fields(network, frames), network.flow, view.short_side);
  } else {
    for (const int i : test_pictures(frames, network.clips)) pictures.push_back(chosen.at(i));
  }
  return clip_tensor(pictures, network.clips.input, view);
}

void append_output(const VideoNetwork& network, const at::Tensor& frames, std::vector<float>* row) {
  at::Tensor output = network.output == VideoNetwork::Output::Features
                          ? network.network.features(frames)
                          : network.network.scores(frames);
  if (network.float16) output = output.to(at::kHalf).to(at::kFloat);
  output = output.contiguous();
  row->insert(row->end(), output.data_ptr<float>(), output.data_ptr<float>() + output.numel());
}

std::vector<float> row_of(const std::filesystem::path& video,
                          std::span<const VideoNetwork> networks) {
  std::vector<PictureChoice> choices;
  for (const VideoNetwork& network : networks) choices.push_back(choice_of(network));
  const ChosenPictures chosen = read_chosen_pictures(video, choices);
  std::vector<float> row;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    append_output(networks[i], tensor_of(networks[i], chosen.frames, chosen.pictures[i]), &row);
  }
  return row;
}

// The row of a video, or its problem.
struct Answer {
  std::vector<float> row;
  std::string problem;
};

std::vector<Answer> answers_for(std::span<const std::filesystem::path> videos,
                                std::span<const VideoNetwork> networks, OnError on_error) {
  std::vector<Answer> answers(videos.size());
  Progress progress("videos", std::ssize(videos));
  const int threads = num_threads();
  std::atomic<std::size_t> first_bad = videos.size();
  side_by_side(videos.size(), threads, [&](std::size_t i) {
    // Videos before an unreadable one are still read, so the first problem is deterministic.
    if (on_error == OnError::Stop && i > first_bad) return;
    at::set_num_threads(num_threads());  // otherwise LibTorch uses all cores per thread
    try {
      answers[i].row = row_of(videos[i], networks);
    } catch (const Error& problem) {
      answers[i].problem = problem.what();
      std::size_t seen = first_bad;
      while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
      }
    }
    progress.advance();
  });
  at::set_num_threads(threads);
  return answers;
}

}  // namespace

VideoOutputs video_outputs(std::span<const std::filesystem::path> videos,
                           std::span<const VideoNetwork> networks, OnError on_error) {
  VideoOutputs outputs;
  std::vector<float> values;
  const std::vector<Answer> answers = answers_for(videos, networks, on_error);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& [row, problem] = answers[i];
    if (!problem.empty()) {
      if (on_error == OnError::Stop) throw Error("{}", problem);
      outputs.problems.push_back(problem);
      continue;
    }
    outputs.videos.push_back(i);
    values.insert(values.end(), row.begin(), row.end());
  }
  const std::size_t rows = outputs.videos.size();
  const std::size_t columns = rows == 0 ? 0 : values.size() / rows;
  outputs.rows = Matrix<float>(rows, columns, std::move(values));
  return outputs;
}

}  // namespace manyverbs
