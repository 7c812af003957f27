// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <opencv2/core.hpp>

namespace manyverbs {

/// Flow by total variation and absolute differences (Zach, Pock and Bischof, "A Duality Based
/// Approach for Realtime TV-L1 Optical Flow", 2007), coarse to fine, with a median filter between
/// rounds. The settings are those the field uses: lambda 0.15, theta 0.3, tau 0.25, 5 scales of
/// 0.8, 5 warps, up to 10 rounds of 30 steps.
///
/// OpenCV has the method too. Here a step is one pass over memory, several steps follow each other
/// through the picture while its rows are in the cache, and eight pixels are computed at once.
class Tvl1 {
 public:
  /// Both are grey, 8 bits, of one size. The results are float and stay good until the next call.
  void compute(const cv::Mat& earlier, const cv::Mat& later);
  const cv::Mat& right() const { return right_; }
  const cv::Mat& down() const { return down_; }

 private:
  cv::Mat right_, down_;
};

}  // namespace manyverbs
