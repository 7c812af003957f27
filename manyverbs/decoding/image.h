// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace manyverbs {

/// An 8-bit image, row-major with interleaved channels: channel c of the pixel in row y and column
/// x is pixels[(y * width + x) * channels + c].
///
/// 3 channels are red, green, blue; 1 channel is grey; 2 channels are horizontal and vertical flow
/// as encoded by decoding/internal/flow.h.
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

/// The colour format of images to read.
enum class Colour { Rgb, Grey };

struct PictureSize {
  int width = 0;
  int height = 0;

  bool operator==(const PictureSize&) const = default;
};

/// The size with this shorter side and the same aspect ratio, rounded. 320 x 240 with 256 is 341 x
/// 256; 0 keeps the size.
PictureSize size_with_short_side(PictureSize size, int short_side);

/// Resizes: bilinear interpolation to enlarge, area averaging to reduce. Flow values are
/// interpolated but not scaled.
Image resized(const Image& image, PictureSize size);

/// Writes a JPEG of quality 100 without chroma subsampling. Throws Error on failure.
void write_picture(const std::filesystem::path& path, const Image& image);
/// Reads a JPEG as colour or grey. Throws Error if the file is missing, empty, damaged, truncated
/// or not a JPEG.
Image read_picture(const std::filesystem::path& path, Colour colour = Colour::Rgb);

}  // namespace manyverbs
