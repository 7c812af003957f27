// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <opencv2/core.hpp>

namespace manyverbs {

/// TV-L1 optical flow (Zach, Pock and Bischof, "A Duality Based Approach for Realtime TV-L1 Optical
/// Flow", 2007), coarse to fine, with median filtering between rounds. The usual settings: lambda
/// 0.15, theta 0.3, tau 0.25, 5 scales of 0.8, 5 warps, up to 10 rounds of 30 steps.
///
/// OpenCV has the method too. This implementation is faster: each step is one pass over memory,
/// several steps are pipelined while rows are in the cache, and eight pixels are computed at once.
class Tvl1 {
 public:
  /// Both images are 8-bit grey and have the same size. The results are float and valid until the
  /// next call.
  void compute(const cv::Mat& earlier, const cv::Mat& later);
  const cv::Mat& right() const { return right_; }
  const cv::Mat& down() const { return down_; }

 private:
  cv::Mat right_, down_;
};

}  // namespace manyverbs
