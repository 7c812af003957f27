// SPDX-License-Identifier: MIT
// Prints tvl1.json: the flow of OpenCV's TV-L1 between two drawn pictures.
//   apt-get install libopencv-contrib-dev
//   g++ -std=c++20 -I. -isystem /usr/include/opencv4 tests/golden/tvl1.cpp -lopencv_optflow
//     -lopencv_video -lopencv_core -o tvl1
//   ./tvl1 > tests/golden/tvl1.json
#include <cstdio>

#include <opencv2/optflow.hpp>

#include "tests/decoding/drawn.h"

int main() {
  using namespace manyverbs;
  const PictureSize size{144, 96};
  Image before = two_motions(size, 0);
  Image after = two_motions(size, 1);
  cv::Mat flow;
  cv::optflow::DualTVL1OpticalFlow::create()->calc(
      cv::Mat(size.height, size.width, CV_8U, before.pixels.data()),
      cv::Mat(size.height, size.width, CV_8U, after.pixels.data()), flow);
  std::printf("{\"width\": %d, \"height\": %d, \"points\": [", size.width, size.height);
  for (int y = 4; y < size.height; y += 8) {
    for (int x = 4; x < size.width; x += 8) {
      const auto value = flow.at<cv::Point2f>(y, x);
      std::printf("%s\n[%d, %d, %.4f, %.4f]", x + y > 8 ? "," : "", x, y, value.x, value.y);
    }
  }
  std::printf("\n]}\n");
}
