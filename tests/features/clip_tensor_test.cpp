// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/clip_tensor.h"

#include <set>

#include <ATen/ATen.h>

#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// An image whose red is the column, green the row and blue 200.
Image grid(int width, int height) {
  Image image(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint8_t* pixel = image.pixels.data() + (y * width + x) * 3;
      pixel[0] = static_cast<std::uint8_t>(x);
      pixel[1] = static_cast<std::uint8_t>(y);
      pixel[2] = 200;
    }
  }
  return image;
}

Image flow_field(int width, int height, int right, int down) {
  Image image(width, height, 2);
  for (std::size_t i = 0; i < image.pixels.size(); i += 2) {
    image.pixels[i] = static_cast<std::uint8_t>(right);
    image.pixels[i + 1] = static_cast<std::uint8_t>(down);
  }
  return image;
}

// With mean 0 and deviation 1 / 255, the tensor has the pixel values.
InputSettings plain(int size) {
  InputSettings settings = input_settings(Stream::Rgb, size);
  settings.normalisation.mean = {0, 0, 0};
  settings.normalisation.std = {1 / 255.0, 1 / 255.0, 1 / 255.0};
  return settings;
}

float at_place(const at::Tensor& tensor, int segment, int channel, int y, int x) {
  return tensor[segment][channel][y][x].item<float>();
}

TEST(ClipTensor, CropsStartAsInTheHeader) {
  EXPECT_EQ(crop_start(117, Crop::Centre, 0), 58);
  EXPECT_EQ(crop_start(117, Crop::Released, 0), 58);
  EXPECT_EQ(crop_start(115, Crop::Centre, 0), 57);
  EXPECT_EQ(crop_start(115, Crop::Released, 0), 56);
  EXPECT_EQ(crop_start(10, Crop::Anywhere, 0), 0);
  EXPECT_EQ(crop_start(10, Crop::Anywhere, 0.999), 10);
  EXPECT_EQ(crop_start(0, Crop::Anywhere, 0.5), 0);
}

TEST(ClipTensor, TheCentreIsUsedInTesting) {
  const InputSettings settings = plain(4);
  View view = test_view(settings);
  EXPECT_EQ(view.short_side, 5);
  view.short_side = 8;
  const std::vector<Image> pictures = {grid(11, 8)};
  const at::Tensor tensor = clip_tensor(pictures, settings, view);
  EXPECT_EQ(tensor.sizes().vec(), (std::vector<std::int64_t>{1, 3, 4, 4}));
  EXPECT_TRUE(tensor.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_NEAR(at_place(tensor, 0, 0, 0, 0), 3, 1e-4);  // (11 - 4) / 2, rounded down
  EXPECT_NEAR(at_place(tensor, 0, 1, 0, 0), 2, 1e-4);  // (8 - 4) / 2
  EXPECT_NEAR(at_place(tensor, 0, 0, 3, 3), 6, 1e-4);
  EXPECT_NEAR(at_place(tensor, 0, 2, 3, 3), 200, 1e-4);
  view.crop = Crop::Released;
  EXPECT_NEAR(at_place(clip_tensor(pictures, settings, view), 0, 0, 0, 0), 2, 1e-4);
}

TEST(ClipTensor, MirroringReversesTheColumns) {
  const InputSettings settings = plain(4);
  View view{.short_side = 8, .crop = Crop::Anywhere, .x = 0, .y = 0.999, .mirrored = true};
  const std::vector<Image> pictures = {grid(8, 8)};
  const at::Tensor tensor = clip_tensor(pictures, settings, view);
  EXPECT_NEAR(at_place(tensor, 0, 0, 0, 0), 3, 1e-4);
  EXPECT_NEAR(at_place(tensor, 0, 0, 0, 3), 0, 1e-4);
  EXPECT_NEAR(at_place(tensor, 0, 1, 0, 0), 4, 1e-4);
}

TEST(ClipTensor, ImagesAreNormalisedAsForTheCheckpoint) {
  InputSettings settings = input_settings(Stream::Rgb, 4);
  const View view{.short_side = 4};
  const std::vector<Image> pictures = {grid(4, 4)};
  const at::Tensor usual = clip_tensor(pictures, settings, view);
  EXPECT_NEAR(at_place(usual, 0, 0, 0, 2), (2 / 255.0 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(at_place(usual, 0, 2, 0, 2), (200 / 255.0 - 0.406) / 0.225, 1e-5);
  settings.normalisation.blue_first = true;
  const at::Tensor turned = clip_tensor(pictures, settings, view);
  EXPECT_EQ(at_place(turned, 0, 0, 0, 2), at_place(usual, 0, 2, 0, 2));
  EXPECT_EQ(at_place(turned, 0, 2, 0, 2), at_place(usual, 0, 0, 0, 2));
}

TEST(ClipTensor, FlowIsStackedRightDownRightDown) {
  std::vector<Image> fields;
  for (int i = 0; i < 10; ++i) fields.push_back(flow_field(6, 6, 10 * i, 10 * i + 5));
  const InputSettings settings = input_settings(Stream::Flow, 4);
  const at::Tensor tensor = clip_tensor(fields, settings, {.short_side = 6});
  EXPECT_EQ(tensor.sizes().vec(), (std::vector<std::int64_t>{2, 10, 4, 4}));
  for (int segment = 0; segment < 2; ++segment) {
    for (int i = 0; i < 5; ++i) {
      const double right = 10 * (5 * segment + i);
      EXPECT_NEAR(at_place(tensor, segment, 2 * i, 1, 1), (right / 255 - 0.5) / 0.226, 1e-5);
      EXPECT_NEAR(at_place(tensor, segment, 2 * i + 1, 1, 1), ((right + 5) / 255 - 0.5) / 0.226,
                  1e-5);
    }
  }
}

TEST(ClipTensor, MirroringInvertsHorizontalFlow) {
  const std::vector<Image> fields(5, flow_field(4, 4, 255, 30));
  const InputSettings settings = input_settings(Stream::Flow, 4);
  const at::Tensor tensor = clip_tensor(fields, settings, {.short_side = 4, .mirrored = true});
  EXPECT_NEAR(at_place(tensor, 0, 0, 0, 0), (0 - 0.5) / 0.226, 1e-5);
  EXPECT_NEAR(at_place(tensor, 0, 1, 0, 0), (30 / 255.0 - 0.5) / 0.226, 1e-5);
}

TEST(ClipTensor, ImagesWithAnotherShortSideAreResized) {
  const std::vector<Image> pictures = {grid(40, 20)};
  const at::Tensor tensor = clip_tensor(pictures, plain(10), {.short_side = 10});
  EXPECT_NEAR(at_place(tensor, 0, 0, 0, 0), 10.5, 1.0);  // a fourth of 40
  EXPECT_NEAR(at_place(tensor, 0, 1, 9, 0), 18.5, 1.0);
}

TEST(ClipTensor, SizesKeepTheProportionsOf224) {
  const InputSettings usual = input_settings(Stream::Rgb, 224);
  EXPECT_EQ(usual.test_short_side, 256);
  EXPECT_EQ(usual.smallest_short_side, 224);
  EXPECT_EQ(usual.largest_short_side, 336);
  const InputSettings small = input_settings(Stream::Rgb, 64);
  EXPECT_EQ(small.test_short_side, 73);
  EXPECT_EQ(small.smallest_short_side, 64);
  EXPECT_EQ(small.largest_short_side, 96);
}

TEST(ClipTensor, RandomViewsAreWithinTheirBoundsAndReachThem) {
  const InputSettings settings = input_settings(Stream::Rgb, 224);
  Random random(1);
  std::set<int> short_sides;
  int mirrored = 0;
  for (int i = 0; i < 4000; ++i) {
    const View view = random_view(settings, &random);
    short_sides.insert(view.short_side);
    mirrored += view.mirrored ? 1 : 0;
    EXPECT_EQ(view.crop, Crop::Anywhere);
  }
  EXPECT_EQ(*short_sides.begin(), 224);
  EXPECT_EQ(*short_sides.rbegin(), 336);
  EXPECT_NEAR(mirrored, 2000, 150);
}

TEST(ClipTensor, AStripReproducesTheImages) {
  const std::vector<Image> pictures = {grid(4, 4), grid(4, 4)};
  const InputSettings settings = input_settings(Stream::Rgb, 4);
  const Image strip = strip_of(clip_tensor(pictures, settings, {.short_side = 4}), settings);
  EXPECT_EQ(strip.width, 8);
  EXPECT_EQ(strip.height, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      const std::uint8_t* pixel = strip.pixels.data() + (y * 8 + x) * 3;
      EXPECT_EQ(pixel[0], x % 4);
      EXPECT_EQ(pixel[1], y);
      EXPECT_EQ(pixel[2], 200);
    }
  }
}

TEST(ClipTensor, AnUnknownStreamGetsASuggestion) {
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [] { find_stream("flwo"); }),
            "unknown stream 'flwo', did you mean 'flow'?");
}

}  // namespace
}  // namespace manyverbs
