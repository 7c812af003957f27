// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "manyverbs/decoding/image.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// Optical flow: how far every pixel moves from one frame to the next, to the right and down, in
/// pixels. Stored the way the field does: clipped to [-bound, bound], 8 bits, one JPEG a direction.

enum class FlowMethod {
  Tvl1,  ///< Zach et al. 2007, as in the paper's end-to-end experiments
  Dis,   ///< Kroeger et al. 2016, many times faster, less exact at edges
};
std::string_view flow_method_name(FlowMethod method);
/// "tvl1" and "dis"; throws Error with the nearest spelling.
FlowMethod find_flow_method(std::string_view name);

/// H x W each.
struct Flow {
  Matrix<float> right;
  Matrix<float> down;
};

/// Flow between pairs of grey frames of one size; keeps its memory from pair to pair. One thread.
class FlowEstimator {
 public:
  explicit FlowEstimator(FlowMethod method);
  ~FlowEstimator();
  FlowEstimator(FlowEstimator&&) noexcept;
  FlowEstimator& operator=(FlowEstimator&&) noexcept;

  Flow between(const Image& earlier, const Image& later);
  /// The same, encoded: 2 channels, right and down.
  Image encoded_between(const Image& earlier, const Image& later, double bound);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// round((flow + bound) * 255 / (2 * bound)), clipped to [0, 255]. With bound 20, -20 or less is 0,
/// 0 is 128 and 20 or more is 255; one step is 40 / 255 pixels.
std::uint8_t encode_flow(float flow, double bound);
/// The flow in the middle of a step: decoding what was encoded is at most half a step off. 128 is
/// 0.078 with bound 20.
float decode_flow(std::uint8_t code, double bound);

/// A folder of flow pictures: flow_x_00001.jpg and flow_y_00001.jpg …, or the same numbers under
/// u/ and v/ (frame_0000000001.jpg …). Picture t is the flow from frame t to t + 1.
struct FlowFrames {
  std::filesystem::path folder;
  int count = 0;  ///< pairs of pictures, at least 1
  int width = 0;
  int height = 0;
};

/// Throws Error when the folder is none, holds no flow, has a gap in its numbers, or one direction
/// has more pictures than the other.
FlowFrames find_flow(const std::filesystem::path& folder);

/// The flow at the given positions, as stored: 2 channels, right and down. The values are those of
/// encode_flow; `short_side` resizes the pictures and leaves the values, 0 keeps the size.
std::vector<Image> read_flow(const FlowFrames& flow, std::span<const int> positions,
                             int short_side = 0);

/// Writes flow picture `position` of a folder as two grey JPEGs of quality 100, the first as
/// flow_x_00001.jpg. Every code read back is at most one step from the one written.
void write_flow(const std::filesystem::path& folder, int position, const Image& flow);

/// What read_flow() gives back of flow that write_flow() wrote, without a file.
Image as_stored(const Image& flow);

/// Encoded flow of a picture in which nothing moves: 128 throughout.
Image no_motion(PictureSize size);

/// Flow as a picture to look at: the hue is the direction, red to the right and green-yellow down;
/// the colour is full at `strongest` pixels and white without motion.
Image coloured_flow(const Image& flow, double bound, double strongest);

}  // namespace manyverbs
