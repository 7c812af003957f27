// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/flow.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <opencv2/video/tracking.hpp>

#include "manyverbs/decoding/internal/jpeg.h"
#include "manyverbs/decoding/internal/matrices.h"
#include "manyverbs/decoding/internal/picture_source.h"
#include "manyverbs/decoding/internal/tvl1.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr int kCodes = 255;

// One picture of two channels from one for each direction.
Image joined(const Image& right, const Image& down) {
  Image pair(right.width, right.height, 2);
  for (std::size_t i = 0; i < right.pixels.size(); ++i) {
    pair.pixels[2 * i] = right.pixels[i];
    pair.pixels[2 * i + 1] = down.pixels[i];
  }
  return pair;
}

// Channel 0 is the flow to the right, 1 that down.
Image direction_of(const Image& flow, int channel) {
  assert(flow.channels == 2);
  Image direction(flow.width, flow.height, 1);
  for (std::size_t i = 0; i < direction.pixels.size(); ++i) {
    direction.pixels[i] = flow.pixels[2 * i + channel];
  }
  return direction;
}

Image read_pair(const PictureSource& pictures, int position) {
  const Image right = pictures.read(PictureKind::FlowRight, position, Colour::Grey);
  const Image down = pictures.read(PictureKind::FlowDown, position, Colour::Grey);
  if (right.width != down.width || right.height != down.height) {
    const std::filesystem::path other = pictures.name(PictureKind::FlowDown, position);
    throw Error("{}: has size {} x {}, but {} has {} x {}",
                pictures.name(PictureKind::FlowRight, position), right.width, right.height,
                other.filename().string(), down.width, down.height);
  }
  return joined(right, down);
}

// The number of image pairs.
int num_pairs(const PictureSource& pictures) {
  const int right = pictures.sequence(PictureKind::FlowRight).names.count;
  const int down = pictures.sequence(PictureKind::FlowDown).names.count;
  if (right != down) {
    throw Error("{}: expected the same number of images for both directions, found {} and {}",
                pictures.path().string(), right, down);
  }
  return right;
}

}  // namespace

std::string_view flow_method_name(FlowMethod method) {
  if (method == FlowMethod::Given) return "given";
  return method == FlowMethod::Tvl1 ? "tvl1" : "dis";
}

FlowMethod find_flow_method(std::string_view name) {
  for (const FlowMethod method : {FlowMethod::Tvl1, FlowMethod::Dis, FlowMethod::Given}) {
    if (flow_method_name(method) == name) return method;
  }
  throw Error("expected the flow method tvl1 or dis, found '{}'{}", name,
              did_you_mean(name, {"tvl1", "dis"}));
}

struct FlowEstimator::State {
  Tvl1 tvl1;
  cv::Ptr<cv::DISOpticalFlow> dis;
  cv::Mat both;   // output of DIS
  cv::Mat right;  // float
  cv::Mat down;

  void estimate(const Image& earlier, const Image& later);
};

void FlowEstimator::State::estimate(const Image& earlier, const Image& later) {
  assert(earlier.channels == 1 && later.channels == 1);
  assert(earlier.width == later.width && earlier.height == later.height);
  if (dis) {
    both.release();  // else the flow of the pair before would be where the search starts
    dis->calc(as_matrix(earlier), as_matrix(later), both);
    cv::extractChannel(both, right, 0);
    cv::extractChannel(both, down, 1);
  } else {
    tvl1.compute(as_matrix(earlier), as_matrix(later));
    right = tvl1.right();
    down = tvl1.down();
  }
}

FlowEstimator::FlowEstimator(FlowMethod method) : state_(std::make_unique<State>()) {
  keep_to_own_thread();
  if (method == FlowMethod::Dis) {
    state_->dis = cv::DISOpticalFlow::create(cv::DISOpticalFlow::PRESET_MEDIUM);
  }
}
FlowEstimator::~FlowEstimator() = default;
FlowEstimator::FlowEstimator(FlowEstimator&&) noexcept = default;
FlowEstimator& FlowEstimator::operator=(FlowEstimator&&) noexcept = default;

Flow FlowEstimator::between(const Image& earlier, const Image& later) {
  state_->estimate(earlier, later);
  const auto values = [](const cv::Mat& matrix) {
    return Matrix<float>(matrix.rows, matrix.cols,
                         std::vector<float>(matrix.begin<float>(), matrix.end<float>()));
  };
  return {values(state_->right), values(state_->down)};
}

Image FlowEstimator::encoded_between(const Image& earlier, const Image& later, double bound) {
  state_->estimate(earlier, later);
  Image encoded(earlier.width, earlier.height, 2);
  std::uint8_t* out = encoded.pixels.data();
  for (int y = 0; y < earlier.height; ++y) {
    const auto* right = state_->right.ptr<float>(y);
    const auto* down = state_->down.ptr<float>(y);
    for (int x = 0; x < earlier.width; ++x) {
      *out++ = encode_flow(right[x], bound);
      *out++ = encode_flow(down[x], bound);
    }
  }
  return encoded;
}

std::uint8_t encode_flow(float flow, double bound) {
  const double code = (flow + bound) * kCodes / (2 * bound);
  // Also for NaN.
  if (!(code > 0)) return 0;
  return static_cast<std::uint8_t>(std::min(code + 0.5, static_cast<double>(kCodes)));
}

float decode_flow(std::uint8_t code, double bound) {
  return static_cast<float>(code * 2 * bound / kCodes - bound);
}

FlowFrames find_flow(const std::filesystem::path& folder) {
  if (!holds_pictures(folder)) throw Error("{}: the folder does not exist", folder.string());
  return find_flow(std::make_shared<const PictureSource>(folder));
}

FlowFrames find_flow(std::shared_ptr<const PictureSource> pictures) {
  const int count = num_pairs(*pictures);
  const Image first = read_pair(*pictures, 0);
  return {std::move(pictures), 0, count, first.width, first.height};
}

std::vector<Image> read_flow(const FlowFrames& flow, std::span<const int> positions,
                             int short_side) {
  const int present = num_pairs(*flow.pictures);
  const PictureSize size = size_with_short_side({flow.width, flow.height}, short_side);
  std::vector<Image> images;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0 || positions[i] >= flow.count || flow.first + positions[i] >= present) {
      throw Error("{}: has no image {}; it has {} images", flow.pictures->path().string(),
                  flow.first + positions[i], present);
    }
    // Stacks share images, and short clips repeat them.
    const auto earlier = positions.first(i);
    const auto same = std::find(earlier.begin(), earlier.end(), positions[i]);
    if (same != earlier.end()) {
      images.push_back(images[same - earlier.begin()]);
      continue;
    }
    images.push_back(read_pair(*flow.pictures, flow.first + positions[i]));
    if (images.back().width != size.width || images.back().height != size.height) {
      images.back() = resized(images.back(), size);
    }
  }
  return images;
}

void write_flow(const std::filesystem::path& folder, int position, const Image& flow) {
  for (const int channel : {0, 1}) {
    const char axis = channel == 0 ? 'x' : 'y';
    write_picture(folder / fmt::format("flow_{}_{:05}.jpg", axis, position + 1),
                  direction_of(flow, channel));
  }
}

Image as_stored(const Image& flow) {
  const auto stored = [&](int channel) {
    return decode_jpeg(encode_jpeg(direction_of(flow, channel), "flow"), Colour::Grey, "flow");
  };
  return joined(stored(0), stored(1));
}

Image no_motion(PictureSize size) {
  Image still(size.width, size.height, 2);
  std::fill(still.pixels.begin(), still.pixels.end(), encode_flow(0, 1));
  return still;
}

Image coloured_flow(const Image& flow, double bound, double strongest) {
  cv::Mat hue_strength_value(flow.height, flow.width, CV_8UC3);
  for (int y = 0; y < flow.height; ++y) {
    auto* out = hue_strength_value.ptr<cv::Vec3b>(y);
    for (int x = 0; x < flow.width; ++x) {
      const std::uint8_t* codes = &flow.pixels[2 * (static_cast<std::size_t>(y) * flow.width + x)];
      const float right = decode_flow(codes[0], bound);
      const float down = decode_flow(codes[1], bound);
      const double turn = std::atan2(down, right) / (2 * CV_PI);  // -0.5 to 0.5
      const double strength = std::min(1.0, std::hypot(right, down) / strongest);
      out[x] = cv::Vec3b(static_cast<std::uint8_t>(std::lround((turn < 0 ? turn + 1 : turn) * 255)),
                         static_cast<std::uint8_t>(std::lround(strength * 255)), 255);
    }
  }
  Image image(flow.width, flow.height, 3);
  cv::Mat colours = as_matrix(image);
  cv::cvtColor(hue_strength_value, colours, cv::COLOR_HSV2RGB_FULL);
  return image;
}

}  // namespace manyverbs
