// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/decoding/image.h"
#include "manyverbs/decoding/internal/video_writer.h"

namespace manyverbs {

/// A picture that tells its number after any lossy codec: ten bars, bright for 1 and dark for 0.
inline constexpr int kBars = 10;
inline constexpr PictureSize kDrawnSize = {160, 48};

inline Image numbered_picture(int number) {
  Image image(kDrawnSize.width, kDrawnSize.height, 3);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const int bar = x * kBars / image.width;
      const std::uint8_t value = (number >> bar) % 2 == 1 ? 210 : 40;
      std::fill_n(&image.pixels[(static_cast<std::size_t>(y) * image.width + x) * 3], 3, value);
    }
  }
  return image;
}

/// The number of such an image, for any size and number of channels.
inline int number_of(const Image& image) {
  int number = 0;
  for (int bar = 0; bar < kBars; ++bar) {
    const int x = (2 * bar + 1) * image.width / (2 * kBars);
    const std::size_t at =
        (static_cast<std::size_t>(image.height / 2) * image.width + x) * image.channels;
    if (image.pixels[at] > 125) number |= 1 << bar;
  }
  return number;
}

inline std::vector<int> numbers_of(const std::vector<Image>& images) {
  std::vector<int> numbers;
  for (const Image& image : images) numbers.push_back(number_of(image));
  return numbers;
}

/// A video whose frames are numbered pictures 0, 1, 2 …
inline std::filesystem::path write_numbered_video(const std::filesystem::path& path, int frames,
                                                  VideoFormat format = {}) {
  format.size = kDrawnSize;
  VideoWriter video(path, format);
  for (int i = 0; i < frames; ++i) video.write(numbered_picture(i));
  video.commit();
  return path;
}

/// Smooth texture, grey, moved to the right and down by so many pixels.
inline Image texture(PictureSize size, double right, double down) {
  Image image(size.width, size.height, 1);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const double u = x - right;
      const double v = y - down;
      const double value = 128 + 45 * std::sin(u * 0.31 + v * 0.08) + 40 * std::sin(v * 0.27) +
                           30 * std::cos(u * 0.13 - v * 0.19);
      image.pixels[static_cast<std::size_t>(y) * size.width + x] =
          static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
    }
  }
  return image;
}

/// A texture that drifts to the right before which a square of another moves up, at a moment.
inline Image two_motions(PictureSize size, int moment) {
  Image image = texture(size, 1.3 * moment, 0);
  const Image square = texture(size, 37, 11 - 2.0 * moment);
  for (int y = size.height / 3; y < 2 * size.height / 3; ++y) {
    for (int x = size.width / 3; x < 2 * size.width / 3; ++x) {
      const int row = y - 2 * moment;
      const std::size_t at = static_cast<std::size_t>(row) * size.width + x;
      image.pixels[at] = square.pixels[at];
    }
  }
  return image;
}

/// A texture of 96 x 72 that moves to the right by so many pixels a frame.
inline void write_drifting_video(const std::filesystem::path& path, int frames, double speed,
                                 const std::string& codec = "libx264") {
  const PictureSize size{96, 72};
  VideoWriter video(path, {.size = size, .codec = codec});
  for (int i = 0; i < frames; ++i) {
    const Image grey = texture(size, speed * i, 0);
    Image frame(size.width, size.height, 3);
    for (std::size_t p = 0; p < frame.pixels.size(); ++p) frame.pixels[p] = grey.pixels[p / 3];
    video.write(frame);
  }
  video.commit();
}

}  // namespace manyverbs
