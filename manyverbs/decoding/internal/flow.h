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

/// Optical flow: the displacement of every pixel from one frame to the next, to the right and down,
/// in pixels. Stored in the usual format: clipped to [-bound, bound], 8 bits, one JPEG per
/// direction.

enum class FlowMethod {
  Tvl1,   ///< Zach et al. 2007, used in the paper's end-to-end experiments
  Dis,    ///< Kroeger et al. 2016, many times faster, less accurate at edges
  Given,  ///< not computed; flow of other videos is computed with TV-L1 instead
};
std::string_view flow_method_name(FlowMethod method);
/// "tvl1", "dis" and "given"; throws Error for other names.
FlowMethod find_flow_method(std::string_view name);

/// H x W each.
struct Flow {
  Matrix<float> right;
  Matrix<float> down;
};

/// Computes flow between grey frames of one size, and reuses its buffers. Single-threaded.
class FlowEstimator {
 public:
  explicit FlowEstimator(FlowMethod method);
  ~FlowEstimator();
  FlowEstimator(FlowEstimator&&) noexcept;
  FlowEstimator& operator=(FlowEstimator&&) noexcept;

  Flow between(const Image& earlier, const Image& later);
  /// The same, encoded in 2 channels: right and down.
  Image encoded_between(const Image& earlier, const Image& later, double bound);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// round((flow + bound) * 255 / (2 * bound)), clipped to [0, 255]. With bound 20, -20 or less is 0,
/// 0 is 128 and 20 or more is 255; one step is 40 / 255 pixels.
std::uint8_t encode_flow(float flow, double bound);
/// The centre of the quantisation step: decoding an encoded value is off by at most half a step.
/// 128 is 0.078 with bound 20.
float decode_flow(std::uint8_t code, double bound);

class PictureSource;

/// A folder or a tar file of flow images, or a part of one: flow_x_00001.jpg and flow_y_00001.jpg
/// …, or the same numbers in u/ and v/ (frame_0000000001.jpg …). Image t is the flow from frame t
/// to t + 1.
struct FlowFrames {
  std::shared_ptr<const PictureSource> pictures;
  int first = 0;  ///< number of image pairs before the part
  int count = 0;  ///< number of image pairs, at least 1
  int width = 0;
  int height = 0;
};

/// Throws Error if the folder does not exist, contains no flow, has a gap in its numbers, or one
/// direction has more images than the other.
FlowFrames find_flow(const std::filesystem::path& folder);
FlowFrames find_flow(std::shared_ptr<const PictureSource> pictures);

/// The flow at the given positions as stored: 2 channels, right and down, with values of
/// encode_flow. `short_side` resizes the images but does not scale the values; 0 keeps the size.
std::vector<Image> read_flow(const FlowFrames& flow, std::span<const int> positions,
                             int short_side = 0);

/// Writes flow image `position` as two grey JPEGs of quality 100; the first is flow_x_00001.jpg.
/// Decoded values differ by at most one step.
void write_flow(const std::filesystem::path& folder, int position, const Image& flow);

/// What read_flow() gives back of flow that write_flow() wrote, without a file.
Image as_stored(const Image& flow);

/// Encoded flow of a picture in which nothing moves: 128 throughout.
Image no_motion(PictureSize size);

/// Visualises flow: hue is the direction, red is right and green-yellow is down; saturation is full
/// at `strongest` pixels and white is no motion.
Image coloured_flow(const Image& flow, double bound, double strongest);

}  // namespace manyverbs
