// SPDX-License-Identifier: MIT
// flow_bench [CLIPS [FRAMES [SHORT_SIDE]]]: flow of a data set, from video files to flow images,
// compared with a simple loop over OpenCV with its defaults, which also use all cores.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/optflow.hpp>
#include <opencv2/videoio.hpp>

#include "manyverbs/decoding/internal/flow_folders.h"
#include "manyverbs/decoding/internal/video_writer.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace {

using namespace manyverbs;

constexpr PictureSize kSize = {320, 240};

// A textured background that drifts and shakes, a disc that crosses it, and some noise.
Image scene(int clip, int moment, Random* random) {
  Image image(kSize.width, kSize.height, 3);
  const double drift = 1.7 * moment + clip;
  const double shake = 1.5 * std::sin(0.7 * moment);
  const double centre_x = 60 + 5.0 * moment;
  const double centre_y = 120 + 40 * std::sin(0.3 * moment + clip);
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      const bool disc = std::hypot(x - centre_x, y - centre_y) < 35;
      const double u = disc ? x - centre_x : x + drift;
      const double v = disc ? y - centre_y : y + shake;
      const double value = 128 + 40 * std::sin(0.21 * u + 0.05 * v) + 35 * std::sin(0.17 * v) +
                           25 * std::cos(0.33 * u - 0.29 * v) + 6 * random->uniform();
      for (int c = 0; c < 3; ++c) {
        image.pixels[(static_cast<std::size_t>(y) * kSize.width + x) * 3 + c] =
            static_cast<std::uint8_t>(std::min(255.0, value * (disc ? 1.1 : 0.9 + 0.05 * c)));
      }
    }
  }
  return image;
}

Dataset make_dataset(const std::filesystem::path& folder, int clips, int frames) {
  std::filesystem::create_directories(folder);
  Dataset dataset;
  dataset.folder = folder;
  dataset.name = "flow";
  dataset.classes = Vocabulary({"drift"});
  Random random(1);
  for (int i = 0; i < clips; ++i) {
    Clip clip;
    clip.name = std::to_string(i);
    clip.labels = {0};
    clip.video = clip.name + ".mp4";
    VideoWriter video(folder / clip.video, {.size = kSize});
    for (int frame = 0; frame < frames; ++frame) video.write(scene(i, frame, &random));
    video.commit();
    dataset.clips.push_back(clip);
  }
  write_dataset(folder, dataset);
  return dataset;
}

// The straightforward solution with OpenCV.
void plain_loop(const Dataset& dataset, int short_side) {
  const auto method = cv::optflow::DualTVL1OpticalFlow::create();
  for (const Clip& clip : dataset.clips) {
    const std::filesystem::path folder = dataset.folder / "plain" / clip.name;
    std::filesystem::create_directories(folder);
    cv::VideoCapture video(video_path(dataset, clip).string());
    cv::Mat frame;
    cv::Mat earlier;
    for (int i = 0; video.read(frame); ++i) {
      cv::Mat grey;
      const double scale = short_side / static_cast<double>(std::min(frame.cols, frame.rows));
      if (short_side > 0) cv::resize(frame, frame, {}, scale, scale);
      cv::cvtColor(frame, grey, cv::COLOR_BGR2GRAY);
      if (i > 0) {
        cv::Mat flow;
        method->calc(earlier, grey, flow);
        cv::Mat codes;
        flow.convertTo(codes, CV_8U, 255.0 / 40, 127.5);
        std::vector<cv::Mat> directions;
        cv::split(codes, directions);
        cv::imwrite(folder / fmt::format("flow_x_{:05}.jpg", i), directions[0]);
        cv::imwrite(folder / fmt::format("flow_y_{:05}.jpg", i), directions[1]);
      }
      earlier = grey;
    }
  }
}

template <typename Call>
double seconds_of(Call call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int argument(int count, char** values, int i, int otherwise) {
  return i < count ? std::atoi(values[i]) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  Progress::silence();
  const int clips = argument(count, values, 1, 4);
  const int frames = argument(count, values, 2, 12);
  const int short_side = argument(count, values, 3, 240);
  const int pairs = clips * (frames - 1);
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("flow-{}", getpid());
  const int opencv_threads = cv::getNumThreads();
  const Dataset dataset = make_dataset(folder, clips, frames);
  fmt::print("{} clips of {} frames, short side {}, {} threads\n", clips, frames, short_side,
             num_threads());
  const auto ours = [&](FlowMethod method) {
    const double seconds = seconds_of([&] {
      compute_flow(dataset, {method, 20, short_side}, OnError::Stop, true);
    });
    fmt::print("flow-{} {:.2f} pairs/s\n", flow_method_name(method), pairs / seconds);
    return seconds;
  };
  const double tvl1 = ours(FlowMethod::Tvl1);
  ours(FlowMethod::Dis);
  cv::setNumThreads(opencv_threads);
  const double plain = seconds_of([&] { plain_loop(dataset, short_side); });
  fmt::print("flow-opencv {:.2f} pairs/s\n", pairs / plain);
  fmt::print("flow-speedup {:.2f} times\n", plain / tvl1);
  std::filesystem::remove_all(folder);
  return 0;
}
