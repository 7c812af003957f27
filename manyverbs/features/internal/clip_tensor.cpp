// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/clip_tensor.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>

#include <ATen/ATen.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// Maps the values 0 .. 255 of a channel to normalised values.
using Samples = std::array<float, 256>;
Samples samples(double mean, double std, bool inverted = false) {
  Samples table{};
  for (int i = 0; i < 256; ++i) {
    const double value = (inverted ? 255 - i : i) / 255.0;
    table[i] = static_cast<float>((value - mean) / std);
  }
  return table;
}

// For a channel of an image: its table, and its index among the channels of the tensor.
struct Channel {
  Samples table;
  int place;
};
std::vector<Channel> channels_of(const InputSettings& settings, bool mirrored) {
  const Normalisation& how = settings.normalisation;
  if (settings.stream == Stream::Flow) {
    return {{samples(how.flow_mean, how.flow_std, mirrored), 0},
            {samples(how.flow_mean, how.flow_std), 1}};
  }
  std::vector<Channel> channels;
  for (int c = 0; c < 3; ++c) {
    channels.push_back({samples(how.mean[c], how.std[c]), how.blue_first ? 2 - c : c});
  }
  return channels;
}

// Copies an image to the channels of a segment, starting at channel `first`.
void copy_picture(const Image& image, const InputSettings& settings, const View& view,
                  const std::vector<Channel>& channels, float* segment, int first) {
  const int left = crop_start(image.width - settings.size, view.crop, view.x);
  const int top = crop_start(image.height - settings.size, view.crop, view.y);
  const int all = input_channels(settings.stream);
  for (int y = 0; y < settings.size; ++y) {
    for (int x = 0; x < settings.size; ++x) {
      const int column = left + (view.mirrored ? settings.size - 1 - x : x);
      const std::uint8_t* pixel =
          image.pixels.data() +
          (static_cast<std::size_t>(top + y) * image.width + column) * image.channels;
      float* out = segment + (static_cast<std::size_t>(y) * settings.size + x) * all + first;
      for (std::size_t c = 0; c < channels.size(); ++c) {
        out[channels[c].place] = channels[c].table[pixel[c]];
      }
    }
  }
}

std::uint8_t sample_of(double value, double mean, double std) {
  return static_cast<std::uint8_t>(std::clamp(std::lround((value * std + mean) * 255.0), 0L, 255L));
}

}  // namespace

std::string_view stream_name(Stream stream) { return stream == Stream::Rgb ? "rgb" : "flow"; }

Stream find_stream(std::string_view name) {
  if (name == "rgb") return Stream::Rgb;
  if (name == "flow") return Stream::Flow;
  throw Error("unknown stream '{}'{}", name, did_you_mean_or_list(name, {"rgb", "flow"}));
}

int input_channels(Stream stream) { return stream == Stream::Rgb ? 3 : 2 * kFlowStack; }
int pictures_per_segment(Stream stream) { return stream == Stream::Rgb ? 1 : kFlowStack; }

InputSettings input_settings(Stream stream, int size) {
  InputSettings settings;
  settings.stream = stream;
  const auto scaled = [&](int pixels) { return (pixels * size + 112) / 224; };
  settings.size = size;
  settings.test_short_side = scaled(256);
  settings.smallest_short_side = size;
  settings.largest_short_side = scaled(336);
  return settings;
}

int crop_start(int margin, Crop crop, double share) {
  switch (crop) {
    case Crop::Centre:
      return margin / 2;
    case Crop::Released:
      return 2 * (margin / 4);
    default:
      return std::min(margin, static_cast<int>(share * (margin + 1)));
  }
}

View test_view(const InputSettings& settings) {
  return {settings.test_short_side, settings.test_crop, 0, 0, false};
}

View random_view(const InputSettings& settings, Random* random) {
  View view;
  const double span = settings.largest_short_side - settings.smallest_short_side;
  view.short_side =
      static_cast<int>(std::lround(settings.smallest_short_side + span * random->uniform()));
  view.crop = Crop::Anywhere;
  view.x = random->uniform();
  view.y = random->uniform();
  view.mirrored = settings.mirror && random->below(2) == 1;
  return view;
}

at::Tensor clip_tensor(std::span<const Image> pictures, const InputSettings& settings,
                       const View& view) {
  const int stack = pictures_per_segment(settings.stream);
  const int all = input_channels(settings.stream);
  assert(!pictures.empty() && pictures.size() % stack == 0);
  assert(view.short_side >= settings.size);
  const auto segments = static_cast<std::int64_t>(pictures.size()) / stack;
  at::Tensor tensor =
      at::empty({segments, all, settings.size, settings.size},
                at::TensorOptions(at::kFloat).memory_format(at::MemoryFormat::ChannelsLast));
  const std::size_t segment_size = static_cast<std::size_t>(settings.size) * settings.size * all;
  const std::vector<Channel> channels = channels_of(settings, view.mirrored);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Image& picture = pictures[i];
    assert(picture.channels == static_cast<int>(channels.size()));
    float* segment = tensor.data_ptr<float>() + i / stack * segment_size;
    const int first = static_cast<int>(i % stack) * (all / stack);
    if (std::min(picture.width, picture.height) == view.short_side) {
      copy_picture(picture, settings, view, channels, segment, first);
    } else {
      const PictureSize size =
          size_with_short_side({picture.width, picture.height}, view.short_side);
      copy_picture(resized(picture, size), settings, view, channels, segment, first);
    }
  }
  return tensor;
}

Image strip_of(const at::Tensor& clip, const InputSettings& settings) {
  const at::Tensor plain = clip.contiguous();
  const auto segments = static_cast<int>(plain.size(0));
  const int size = settings.size;
  const bool rgb = settings.stream == Stream::Rgb;
  Image strip(segments * size, size, rgb ? 3 : 2);
  const auto* values = plain.data_ptr<float>();
  const Normalisation& how = settings.normalisation;
  for (int segment = 0; segment < segments; ++segment) {
    for (int c = 0; c < strip.channels; ++c) {
      const int place = rgb && how.blue_first ? 2 - c : c;
      const float* channel =
          values + (static_cast<std::size_t>(segment) * plain.size(1) + place) * size * size;
      for (int i = 0; i < size * size; ++i) {
        const std::size_t pixel =
            static_cast<std::size_t>(i / size) * strip.width + segment * size + i % size;
        strip.pixels[pixel * strip.channels + c] = sample_of(
            channel[i], rgb ? how.mean[c] : how.flow_mean, rgb ? how.std[c] : how.flow_std);
      }
    }
  }
  return strip;
}

}  // namespace manyverbs
