// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/peek.h"

#include <algorithm>
#include <cmath>

#include "manyverbs/decoding/internal/matrices.h"
#include "manyverbs/decoding/internal/sampling.h"

namespace manyverbs {
namespace {

constexpr int kMoments = 4;
constexpr int kGap = 4;
// Saturation is full for the fastest hundredth of the pixels.
constexpr double kFast = 0.99;

double fast_motion(const std::vector<Image>& flows, double bound) {
  std::vector<float> lengths;
  for (const Image& flow : flows) {
    for (std::size_t i = 0; i < flow.pixels.size(); i += 2) {
      lengths.push_back(
          std::hypot(decode_flow(flow.pixels[i], bound), decode_flow(flow.pixels[i + 1], bound)));
    }
  }
  const auto place = lengths.begin() +
                     static_cast<std::ptrdiff_t>(kFast * static_cast<double>(lengths.size() - 1));
  std::nth_element(lengths.begin(), place, lengths.end());
  return std::max(1.0F, *place);
}

Image flow_picture(const ClipFrames& frames, const FlowFrames& flow, double bound) {
  const std::vector<int> moments =
      fixed_frames(std::min(flow.count, frames.count), kMoments, SegmentPoint::Centre);
  const std::vector<Image> flows = read_flow(flow, moments);
  const std::vector<Image> pictures = read_frames(frames, moments);
  const double strongest = fast_motion(flows, bound);
  Image sheet(kMoments * (flow.width + kGap) - kGap, 2 * flow.height + kGap, 3);
  std::fill(sheet.pixels.begin(), sheet.pixels.end(), 255);
  cv::Mat matrix = as_matrix(sheet);
  for (int i = 0; i < kMoments; ++i) {
    const int left = i * (flow.width + kGap);
    const PictureSize size{flow.width, flow.height};
    const Image above = resized(pictures[i], size);
    const Image below = coloured_flow(flows[i], bound, strongest);
    as_matrix(above).copyTo(matrix(cv::Rect(left, 0, size.width, size.height)));
    as_matrix(below).copyTo(matrix(cv::Rect(left, size.height + kGap, size.width, size.height)));
  }
  return sheet;
}

}  // namespace

std::vector<std::filesystem::path> peek_at_flow(const Dataset& dataset, int count,
                                                const std::filesystem::path& folder) {
  const FrameIndex index = index_frames(dataset, OnError::Skip);
  const FlowIndex flow = index_flow(dataset, OnError::Skip);
  const double bound = flow_settings(dataset).bound;
  std::filesystem::create_directories(folder);
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < dataset.clips.size() && std::ssize(files) < count; ++i) {
    if (!index.clips[i] || !flow.clips[i]) continue;
    const std::string name = flow_folder(dataset, dataset.clips[i]).filename().string();
    files.push_back(folder / (name + ".jpg"));
    write_picture(files.back(), flow_picture(*index.clips[i], *flow.clips[i], bound));
  }
  return files;
}

}  // namespace manyverbs
