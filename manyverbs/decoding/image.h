// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace manyverbs {

/// A picture of 8-bit samples, row after row, the channels of a pixel side by side: channel c of
/// the pixel in row y and column x is pixels[(y * width + x) * channels + c].
///
/// 3 channels are red, green, blue; 1 is grey; 2 are horizontal and vertical flow as
/// decoding/flow.h encodes them.
struct Image {
  Image() = default;
  Image(int width, int height, int channels)
      : width(width),
        height(height),
        channels(channels),
        pixels(static_cast<std::size_t>(width) * height * channels) {}

  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> pixels;

  bool operator==(const Image&) const = default;
};

/// What pictures are read as.
enum class Colour { Rgb, Grey };

struct PictureSize {
  int width = 0;
  int height = 0;

  bool operator==(const PictureSize&) const = default;
};

/// The size whose shorter side is as asked and whose other side is in proportion, rounded. 320 x
/// 240 with 256 is 341 x 256; 0 leaves the size as it is.
PictureSize size_with_short_side(PictureSize size, int short_side);

/// Bilinear between the four nearest pixels when enlarged, the mean of those covered when reduced.
/// Samples are numbers: flow is blended but not scaled.
Image resized(const Image& image, PictureSize size);

/// Writes a JPEG of quality 100, with colours at full resolution. Throws Error when it cannot.
void write_picture(const std::filesystem::path& path, const Image& image);
/// Reads a JPEG, in colours or as grey whatever it holds. Throws Error when the file is missing,
/// empty, damaged, cut short or no JPEG.
Image read_picture(const std::filesystem::path& path, Colour colour = Colour::Rgb);

}  // namespace manyverbs
