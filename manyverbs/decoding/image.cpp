// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/image.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include <turbojpeg.h>

#include "manyverbs/decoding/internal/jpeg.h"
#include "manyverbs/decoding/internal/matrices.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {
namespace {

constexpr int kQuality = 100;

struct Closer {
  void operator()(void* codec) const { tjDestroy(codec); }
};
using Codec = std::unique_ptr<void, Closer>;

}  // namespace

PictureSize size_with_short_side(PictureSize size, int short_side) {
  if (short_side == 0) return size;
  const double factor = static_cast<double>(short_side) / std::min(size.width, size.height);
  const auto scaled = [&](int side) {
    return std::max(1, static_cast<int>(std::lround(side * factor)));
  };
  return {scaled(size.width), scaled(size.height)};
}

Image resized(const Image& image, PictureSize size) {
  Image result(size.width, size.height, image.channels);
  cv::Mat matrix = as_matrix(result);
  resize_into(as_matrix(image), size, &matrix);
  return result;
}

std::string encode_jpeg(const Image& image, const std::filesystem::path& path) {
  const bool grey = image.channels == 1;
  const Codec codec(tjInitCompress());
  unsigned char* bytes = nullptr;
  unsigned long count = 0;  // NOLINT(google-runtime-int): type of libjpeg-turbo
  const int failed = tjCompress2(codec.get(), image.pixels.data(), image.width, 0, image.height,
                                 grey ? TJPF_GRAY : TJPF_RGB, &bytes, &count,
                                 grey ? TJSAMP_GRAY : TJSAMP_444, kQuality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> held(bytes, &tjFree);
  if (failed != 0) throw Error("{}: {}", path.string(), tjGetErrorStr2(codec.get()));
  return {reinterpret_cast<const char*>(bytes), count};
}

Image decode_jpeg(std::string_view jpeg, Colour colour, const std::filesystem::path& path) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(jpeg.data());
  const Codec codec(tjInitDecompress());
  const auto fail = [&] {
    throw Error("{}: is damaged or not a JPEG image: {}", path.string(),
                tjGetErrorStr2(codec.get()));
  };
  PictureSize size;
  int sampling = 0;
  int space = 0;
  if (tjDecompressHeader3(codec.get(), bytes, jpeg.size(), &size.width, &size.height, &sampling,
                          &space) != 0) {
    fail();
  }
  Image image(size.width, size.height, colour == Colour::Grey ? 1 : 3);
  if (tjDecompress2(codec.get(), bytes, jpeg.size(), image.pixels.data(), size.width, 0,
                    size.height, colour == Colour::Grey ? TJPF_GRAY : TJPF_RGB,
                    TJFLAG_ACCURATEDCT) != 0) {
    fail();
  }
  return image;
}

void write_picture(const std::filesystem::path& path, const Image& image) {
  const std::string jpeg = encode_jpeg(image, path);
  // Not atomic, because thousands of images are written; callers rename the complete folder
  // instead.
  std::ofstream file(path, std::ios::binary);
  file.write(jpeg.data(), static_cast<std::streamsize>(jpeg.size()));
  file.close();
  if (!file) throw Error("{}: cannot be written: {}", path.string(), std::strerror(errno));
}

Image read_picture(const std::filesystem::path& path, Colour colour) {
  const std::string file = read_file(path);
  if (file.empty()) throw Error("{}: is empty", path.string());
  return decode_jpeg(file, colour, path);
}

void resize_into(const cv::Mat& from, PictureSize size, cv::Mat* to) {
  keep_to_own_thread();
  const bool reduced = size.width < from.cols || size.height < from.rows;
  cv::resize(from, *to, {size.width, size.height}, 0, 0,
             reduced ? cv::INTER_AREA : cv::INTER_LINEAR);
}

void take_picture(const cv::Mat& colours, Colour colour, Image* image) {
  const int channels = colour == Colour::Rgb ? 3 : 1;
  if (image->width != colours.cols || image->height != colours.rows ||
      image->channels != channels) {
    *image = Image(colours.cols, colours.rows, channels);
  }
  cv::Mat matrix = as_matrix(*image);
  if (colour == Colour::Rgb) {
    colours.copyTo(matrix);
  } else {
    cv::cvtColor(colours, matrix, cv::COLOR_RGB2GRAY);
  }
}

void keep_to_own_thread() {
  static const bool done = [] {
    cv::setNumThreads(1);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace manyverbs
