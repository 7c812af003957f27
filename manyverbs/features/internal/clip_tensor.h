// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <ATen/core/Tensor.h>

#include "manyverbs/decoding/image.h"
#include "manyverbs/features/internal/checkpoint.h"
#include "manyverbs/features/stream.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// Converts frames to network inputs: resized, cropped, in training randomly mirrored, normalised.
///
/// RGB: one frame per segment, 3 channels. Flow: five consecutive fields per segment, each an image
/// of 2 channels (right, down), stacked as right0 down0 … right4 down4: 10 channels.

inline constexpr int kFlowStack = 5;  ///< flow fields per segment
/// 3 or 10.
int input_channels(Stream stream);
/// Frames or flow fields per segment: 1 or 5.
int pictures_per_segment(Stream stream);

enum class Crop {
  Centre,    ///< the centre, rounded to the left and up
  Released,  ///< as in the released code: 2 * (margin / 4), rounded down
  Anywhere,  ///< at x and y of the View
};

/// The smallest useful input: the last layer of a backbone has a stride of 32 pixels, so a smaller
/// input would be mostly padding.
inline constexpr int kSmallestSize = 32;

struct InputSettings {
  Stream stream = Stream::Rgb;
  int size = 224;                 ///< width and height of the input, in pixels
  int test_short_side = 256;      ///< of the image that the input is cropped from, in testing
  int smallest_short_side = 224;  ///< and in training: uniform between this and the next
  int largest_short_side = 336;
  bool mirror = true;  ///< in training, with probability 1/2
  Crop test_crop = Crop::Centre;
  Normalisation normalisation;
};
/// Scales the short sides with the size: 64 is cropped from 73, in training from 64 to 96.
InputSettings input_settings(Stream stream, int size);

/// The part of an image that is the network input.
struct View {
  int short_side = 256;
  Crop crop = Crop::Centre;
  double x = 0;  ///< the share of the horizontal margin left of the crop, in [0, 1)
  double y = 0;  ///< and of the vertical margin above it
  bool mirrored = false;
};
/// The start of a crop, given the margin (image size - crop size). Margin 117: Centre and Released
/// 58; margin 115: Centre 57, Released 56.
int crop_start(int margin, Crop crop, double share);

View test_view(const InputSettings& settings);
/// Short side and position are uniform; mirrored with probability 1/2 if enabled.
View random_view(const InputSettings& settings, Random* random);

/// segments x channels x size x size, channels last. `pictures` are grouped by segment and are
/// resized if their short side is not that of the view. Mirroring flow also inverts its horizontal
/// component.
at::Tensor clip_tensor(std::span<const Image> pictures, const InputSettings& settings,
                       const View& view);

/// A network input as an image, segments side by side: RGB, or the first flow field of each stack
/// as 2 channels.
Image strip_of(const at::Tensor& clip, const InputSettings& settings);

}  // namespace manyverbs
