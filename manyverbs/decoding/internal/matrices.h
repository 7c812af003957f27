// SPDX-License-Identifier: MIT
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "manyverbs/decoding/frames.h"

namespace manyverbs {

/// Between pictures and OpenCV's matrices, for the sources of this room.

/// The pixels themselves, seen as a matrix.
inline cv::Mat as_matrix(Image& image) {
  return {image.height, image.width, CV_8UC(image.channels), image.pixels.data()};
}
inline cv::Mat as_matrix(const Image& image) {
  // OpenCV knows no constant matrices; who calls this only reads.
  return {image.height, image.width, CV_8UC(image.channels),
          const_cast<std::uint8_t*>(image.pixels.data())};
}

/// As resized() of decoding/image.h.
void resize_into(const cv::Mat& from, PictureSize size, cv::Mat* to);

/// Copies red, green, blue into an image, as they are or as grey.
void take_picture(const cv::Mat& colours, Colour colour, Image* image);

/// Makes OpenCV work on the calling thread alone, in the whole program: cores are shared out among
/// clips, not within one.
void keep_to_own_thread();

}  // namespace manyverbs
