// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <ATen/core/Tensor.h>

#include "manyverbs/decoding/image.h"
#include "manyverbs/features/internal/checkpoint.h"
#include "manyverbs/features/stream.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {

/// From pictures to what a network sees: resized, cropped, perhaps mirrored, normalised.
///
/// RGB: one picture a segment, 3 channels. Flow: five consecutive fields a segment, each a picture
/// of 2 channels (right, down), stacked as right0 down0 … right4 down4: 10 channels.

inline constexpr int kFlowStack = 5;  ///< flow fields a segment
/// 3 or 10.
int input_channels(Stream stream);
/// Pictures a segment: 1 or 5.
int pictures_a_segment(Stream stream);

enum class Crop {
  Centre,    ///< the exact middle, half a pixel to the left and up where there is none
  Released,  ///< as the released code: 2 * (room / 4), rounded down
  Anywhere,  ///< where x and y say
};

/// The least that a backbone can use: its last layer looks at every 32nd pixel, and of fewer it
/// would see hardly more than padding.
inline constexpr int kSmallestSize = 32;

struct InputSettings {
  Stream stream = Stream::Rgb;
  int size = 224;                 ///< pixels each way that the network sees
  int test_short_side = 256;      ///< of the picture that they are cut from, in testing
  int smallest_short_side = 224;  ///< and in training, drawn evenly between these two
  int largest_short_side = 336;
  bool mirror = true;  ///< in training, half of the times
  Crop test_crop = Crop::Centre;
  Normalisation normalisation;
};
/// Sizes in the proportions of 224: size 64 is cut from 73, in training from 64 to 96.
InputSettings input_settings(Stream stream, int size);

/// Which part of a picture is seen.
struct View {
  int short_side = 256;
  Crop crop = Crop::Centre;
  double x = 0;  ///< the share of the room left of the crop, in [0, 1)
  double y = 0;  ///< and above it
  bool mirrored = false;
};
/// Where a crop starts when there is so much room. Room 117: Centre and Released 58; room 115:
/// Centre 57, Released 56.
int crop_start(int room, Crop crop, double share);

View test_view(const InputSettings& settings);
/// Short side and place drawn evenly, mirrored half of the times if at all.
View random_view(const InputSettings& settings, Random* random);

/// segments x channels x size x size, channels last. `pictures` are those of one segment after the
/// other; they are resized when their short side is not the view's. A mirrored flow goes the other
/// way too: the right of it is inverted.
at::Tensor clip_tensor(std::span<const Image> pictures, const InputSettings& settings,
                       const View& view);

/// The pictures that a network sees, side by side, one a segment: RGB, or the first flow field of
/// each stack as 2 channels.
Image strip_of(const at::Tensor& clip, const InputSettings& settings);

}  // namespace manyverbs
