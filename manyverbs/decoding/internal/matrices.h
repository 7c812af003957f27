// SPDX-License-Identifier: MIT
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// Conversions between images and OpenCV matrices.

/// The pixels as a matrix, without copying.
inline cv::Mat as_matrix(Image& image) {
  return {image.height, image.width, CV_8UC(image.channels), image.pixels.data()};
}
inline cv::Mat as_matrix(const Image& image) {
  // OpenCV has no constant matrices; callers must only read.
  return {image.height, image.width, CV_8UC(image.channels),
          const_cast<std::uint8_t*>(image.pixels.data())};
}

/// Same as resized() of decoding/image.h.
void resize_into(const cv::Mat& from, PictureSize size, cv::Mat* to);

/// Copies an RGB matrix into an image, as colour or grey.
void take_picture(const cv::Mat& colours, Colour colour, Image* image);

/// Disables the threads of OpenCV in the whole program: clips are processed in parallel instead.
void keep_to_own_thread();

}  // namespace manyverbs
