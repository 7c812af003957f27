// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/flow.h"

#include <cmath>

#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/random.h"
#include "tests/decoding/drawn.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Positions = std::vector<int>;

constexpr double kBound = 20;
constexpr double kStep = 2 * kBound / 255;

TEST(FlowCode, HasTheUsualValues) {
  EXPECT_EQ(encode_flow(-20, kBound), 0);
  EXPECT_EQ(encode_flow(-99, kBound), 0);
  EXPECT_EQ(encode_flow(0, kBound), 128);
  EXPECT_EQ(encode_flow(20, kBound), 255);
  EXPECT_EQ(encode_flow(1e9F, kBound), 255);
  EXPECT_EQ(encode_flow(10, kBound), 191);  // 191.25
  EXPECT_EQ(encode_flow(NAN, kBound), 0);
  EXPECT_NEAR(decode_flow(128, kBound), 0.078, 0.001);
}

TEST(FlowCode, IsDecodedWithinHalfAStep) {
  for (const double bound : {1.0, 20.0, 64.0}) {
    for (int i = -1000; i <= 1000; ++i) {
      const auto flow = static_cast<float>(i * bound / 1000);
      EXPECT_NEAR(decode_flow(encode_flow(flow, bound), bound), flow, bound / 255 * 1.0001);
    }
  }
}

// A flow that rises and falls smoothly over the picture, as real flow does.
Image smooth_flow(PictureSize size, std::vector<float>* values) {
  Image image(size.width, size.height, 2);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      values->push_back(static_cast<float>(15 * std::sin(x * 0.05) * std::cos(y * 0.07)));
      values->push_back(static_cast<float>(8 * std::cos(x * 0.03 + y * 0.04)));
    }
  }
  for (std::size_t i = 0; i < values->size(); ++i) {
    image.pixels[i] = encode_flow((*values)[i], kBound);
  }
  return image;
}

// How far codes read back are from those written, at most.
int worst_difference(const Image& written, const Image& read) {
  int worst = 0;
  for (std::size_t i = 0; i < written.pixels.size(); ++i) {
    worst = std::max(worst, std::abs(int{read.pixels[i]} - int{written.pixels[i]}));
  }
  return worst;
}

TEST(FlowFiles, AreReadBackWithinOneStep) {
  const ScratchFolder scratch;
  std::vector<float> values;
  const Image smooth = smooth_flow({170, 128}, &values);
  write_flow(scratch.path(), 0, smooth);
  Image noise(170, 128, 2);  // harder for JPEG than any flow
  Random random(1);
  for (std::uint8_t& code : noise.pixels) code = static_cast<std::uint8_t>(random.below(256));
  write_flow(scratch.path(), 1, noise);
  const std::vector<Image> back = read_flow(find_flow(scratch.path()), Positions{0, 1});
  EXPECT_LE(worst_difference(smooth, back[0]), 1);
  EXPECT_LE(worst_difference(noise, back[1]), 1);
}

TEST(FlowFiles, AreWithinOneAndAHalfStepsOfTheFlow) {
  const ScratchFolder scratch;
  std::vector<float> values;
  write_flow(scratch.path(), 0, smooth_flow({170, 128}, &values));
  const Image back = read_flow(find_flow(scratch.path()), Positions{0}).front();
  int within_a_step = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = std::abs(decode_flow(back.pixels[i], kBound) - values[i]);
    ASSERT_LE(error, 1.5001 * kStep);
    if (error <= kStep) ++within_a_step;
  }
  EXPECT_GE(within_a_step, 0.9 * static_cast<double>(values.size()));
}

TEST(FlowFiles, HoldWhatIsStoredInMemory) {
  const ScratchFolder scratch;
  Image noise(33, 21, 2);
  Random random(2);
  for (std::uint8_t& code : noise.pixels) code = static_cast<std::uint8_t>(random.below(256));
  write_flow(scratch.path(), 0, noise);
  EXPECT_EQ(as_stored(noise), read_flow(find_flow(scratch.path()), Positions{0}).front());
}

Image flat_flow(int right, int down) {
  Image image(16, 16, 2);
  for (std::size_t i = 0; i < image.pixels.size(); i += 2) {
    image.pixels[i] = static_cast<std::uint8_t>(right);
    image.pixels[i + 1] = static_cast<std::uint8_t>(down);
  }
  return image;
}

TEST(FlowFiles, CanBeInTwoFolders) {
  const ScratchFolder scratch;
  for (int i = 0; i < 3; ++i) write_flow(scratch.path(), i, flat_flow(100 + i, 50));
  std::filesystem::create_directory(scratch / "u");
  std::filesystem::create_directory(scratch / "v");
  for (int i = 1; i <= 3; ++i) {
    std::filesystem::rename(scratch / fmt::format("flow_x_{:05}.jpg", i),
                            scratch / fmt::format("u/frame_{:010}.jpg", i - 1));
    std::filesystem::rename(scratch / fmt::format("flow_y_{:05}.jpg", i),
                            scratch / fmt::format("v/frame_{:010}.jpg", i - 1));
  }
  const FlowFrames flow = find_flow(scratch.path());
  EXPECT_EQ(flow.count, 3);
  EXPECT_EQ(read_flow(flow, Positions{2, 0, 2}),
            (std::vector<Image>{flat_flow(102, 50), flat_flow(100, 50), flat_flow(102, 50)}));
}

TEST(FlowFiles, AreResizedWithoutScalingTheValues) {
  const ScratchFolder scratch;
  write_flow(scratch.path(), 0, flat_flow(200, 30));
  const Image small = read_flow(find_flow(scratch.path()), Positions{0}, 8).front();
  EXPECT_EQ(small.width, 8);
  EXPECT_EQ(small.pixels[0], 200);
  EXPECT_EQ(small.pixels[1], 30);
}

TEST(FlowFiles, InvalidOnesAreErrors) {
  const ScratchFolder scratch;
  const auto error = [&] { return error_of(scratch, [&] { find_flow(scratch / "a"); }); };
  EXPECT_EQ(error(), "a: the folder does not exist");
  std::filesystem::create_directory(scratch / "a");
  EXPECT_EQ(error(),
            "a: expected flow images such as flow_x_00001.jpg and flow_y_00001.jpg …, found none");
  for (int i = 0; i < 3; ++i) write_flow(scratch / "a", i, flat_flow(0, 0));
  const FlowFrames flow = find_flow(scratch / "a");
  EXPECT_EQ(error_of(scratch, [&] { read_flow(flow, Positions{3}); }),
            "a: has no image 3; it has 3 images");
  std::filesystem::remove(scratch / "a/flow_y_00003.jpg");
  EXPECT_EQ(error(), "a: expected the same number of images for both directions, found 3 and 2");
  write_picture(scratch / "a/flow_y_00003.jpg", Image(8, 8, 1));
  EXPECT_EQ(error_of(scratch, [&] { read_flow(flow, Positions{2}); }),
            "a/flow_x_00003.jpg: has size 16 x 16, but flow_y_00003.jpg has 8 x 8");
}

TEST(FlowMethods, HaveNames) {
  const ScratchFolder scratch;
  EXPECT_EQ(find_flow_method("dis"), FlowMethod::Dis);
  EXPECT_EQ(flow_method_name(FlowMethod::Tvl1), "tvl1");
  EXPECT_EQ(error_of(scratch, [] { find_flow_method("tv-l1"); }),
            "expected the flow method tvl1 or dis, found 'tv-l1', did you mean 'tvl1'?");
}

class FlowBy : public testing::TestWithParam<FlowMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, FlowBy, testing::Values(FlowMethod::Tvl1, FlowMethod::Dis));

// Mean distance from a motion that is the same everywhere, leaving out the border.
double mean_error(const Flow& flow, double right, double down) {
  constexpr std::size_t kBorder = 12;
  double sum = 0;
  int count = 0;
  for (std::size_t y = kBorder; y + kBorder < flow.right.rows(); ++y) {
    for (std::size_t x = kBorder; x + kBorder < flow.right.columns(); ++x) {
      sum += std::hypot(flow.right(y, x) - right, flow.down(y, x) - down);
      ++count;
    }
  }
  return sum / count;
}

TEST_P(FlowBy, IsTheMotionOfATexture) {
  FlowEstimator estimator(GetParam());
  const PictureSize size{121, 83};
  const Image before = texture(size, 0, 0);
  for (const auto& [right, down] : {std::pair{1.5, 0.0}, {0.0, -2.25}, {3.0, 2.0}, {-0.4, 0.3}}) {
    const Flow flow = estimator.between(before, texture(size, right, down));
    EXPECT_EQ(flow.right.rows(), 83U);
    EXPECT_EQ(flow.right.columns(), 121U);
    EXPECT_LT(mean_error(flow, right, down), 0.15) << right << " " << down;
  }
}

TEST_P(FlowBy, IsZeroBetweenEqualImages) {
  FlowEstimator estimator(GetParam());
  const Image picture = texture({64, 48}, 0, 0);
  const Image codes = estimator.encoded_between(picture, picture, kBound);
  for (const std::uint8_t code : codes.pixels) ASSERT_EQ(code, 128);
}

// Flow of some pairs of a video is computed without the pairs before them.
TEST_P(FlowBy, OfAPairDoesNotDependOnThePairsBeforeIt) {
  const PictureSize size{80, 60};
  FlowEstimator used(GetParam());
  used.between(texture(size, 0, 0), texture(size, 7, 3));
  const Flow after = used.between(texture(size, 7, 3), texture(size, 14, 6));
  const Flow alone = FlowEstimator(GetParam()).between(texture(size, 7, 3), texture(size, 14, 6));
  EXPECT_EQ(after.right.values(), alone.right.values());
  EXPECT_EQ(after.down.values(), alone.down.values());
}

TEST_P(FlowBy, OfTinyPicturesIsStillFlow) {
  FlowEstimator estimator(GetParam());
  const PictureSize size{16, 16};
  const Flow flow = estimator.between(texture(size, 0, 0), texture(size, 1, 0));
  for (const float value : flow.right.values()) ASSERT_TRUE(std::isfinite(value));
}

// Flow of OpenCV's own TV-L1 on the same pictures; see tests/golden/tvl1.cpp.
TEST(Tvl1Flow, AgreesWithOpenCv) {
  const Json golden = read_json(std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden/tvl1.json");
  const PictureSize size{golden["width"], golden["height"]};
  FlowEstimator estimator(FlowMethod::Tvl1);
  const Flow flow = estimator.between(two_motions(size, 0), two_motions(size, 1));
  double difference = 0;
  std::size_t count = 0;
  for (const Json& point : golden["points"]) {
    const std::size_t x = point[0];
    const std::size_t y = point[1];
    difference += std::hypot(flow.right(y, x) - point[2].get<double>(),
                             flow.down(y, x) - point[3].get<double>());
    ++count;
  }
  EXPECT_GT(count, 100U);
  EXPECT_LT(difference / static_cast<double>(count), 0.05);
}

TEST(ColouredFlow, IsWhiteWithoutMotionAndRedToTheRight) {
  const Image still = coloured_flow(flat_flow(128, 128), kBound, 5);
  EXPECT_GT(still.pixels[1], 245);
  const Image right = coloured_flow(flat_flow(255, 128), kBound, 5);
  EXPECT_EQ(right.pixels[0], 255);
  EXPECT_LT(right.pixels[1], 10);
  EXPECT_LT(right.pixels[2], 10);
}

}  // namespace
}  // namespace manyverbs
