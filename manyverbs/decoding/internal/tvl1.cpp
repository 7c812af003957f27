// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/tvl1.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "manyverbs/decoding/internal/matrices.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs {
namespace {

constexpr float kTau = 0.25F;     // step size of the dual variables
constexpr float kLambda = 0.15F;  // weight of the data term against smoothness
constexpr float kTheta = 0.3F;    // coupling of the two subproblems
constexpr int kScales = 5;
constexpr double kScaleStep = 0.8;
constexpr int kSmallestSide = 16;
constexpr int kWarps = 5;
constexpr int kRounds = 10;  // each starts with a median filter
constexpr int kMedian = 5;
constexpr int kStepsARound = 30;
constexpr int kStepsAtOnce = 5;        // between two convergence checks
constexpr double kConvergence = 0.01;  // convergence: mean change of the flow in pixels

constexpr int kPadding = 16;

// A float image with a row of zeros above and a column of zeros to the left.
class Plane {
 public:
  Plane(int width, int height)
      : width_(width),
        height_(height),
        stride_((width + 2 * kPadding) / kPadding * kPadding),
        values_(static_cast<std::size_t>(stride_) * (height + 1) + kPadding) {}

  float* row(int y) {
    return values_.data() + static_cast<std::size_t>(y + 1) * stride_ + kPadding;
  }
  cv::Mat matrix() {
    return {height_, width_, CV_32F, row(0), static_cast<std::size_t>(stride_) * sizeof(float)};
  }

 private:
  int width_, height_, stride_;
  std::vector<float> values_;
};

// One direction of the flow and its dual variables.
struct Component {
  Component(int width, int height) : flow(width, height), p(width, height), q(width, height) {}
  Plane flow, p, q;
};

// The rows that one step reads and writes.
struct FlowRow {
  float* flow;
  const float* p;
  const float* q;
  const float* q_above;
};
struct DataRow {
  const float* slope_x;
  const float* slope_y;
  const float* inverse;  // of the squared gradient; 0 where it is zero
  const float* constant;
};

// Updates the flow of a row for the data term and smoothness; returns the sum of squared changes.
[[gnu::always_inline]] inline float update_flow(const DataRow& data, const FlowRow& right,
                                                const FlowRow& down, int width) {
  constexpr float kMost = kLambda * kTheta;
  const float* __restrict slope_x = data.slope_x;
  const float* __restrict slope_y = data.slope_y;
  const float* __restrict inverse = data.inverse;
  const float* __restrict constant = data.constant;
  float* __restrict u = right.flow;
  float* __restrict v = down.flow;
  const float *up = right.p, *uq = right.q, *uq_above = right.q_above;
  const float *vp = down.p, *vq = down.q, *vq_above = down.q_above;
  float change = 0;
#pragma omp simd reduction(+ : change)
  for (int x = 0; x < width; ++x) {
    const float difference = constant[x] + slope_x[x] * u[x] + slope_y[x] * v[x];
    const float wanted = -difference * inverse[x];
    const float pull = wanted < -kMost ? -kMost : (wanted > kMost ? kMost : wanted);
    const float u_smooth = up[x] - up[x - 1] + uq[x] - uq_above[x];
    const float v_smooth = vp[x] - vp[x - 1] + vq[x] - vq_above[x];
    const float u_change = pull * slope_x[x] + kTheta * u_smooth;
    const float v_change = pull * slope_y[x] + kTheta * v_smooth;
    u[x] += u_change;
    v[x] += v_change;
    change += u_change * u_change + v_change * v_change;
  }
  return change;
}

// Updates the dual variables of a row from the flow of this row and the next.
[[gnu::always_inline]] inline void update_dual(const float* flow, const float* below,
                                               float* __restrict p, float* __restrict q,
                                               int width) {
  constexpr float kStep = kTau / kTheta;
#pragma omp simd
  for (int x = 0; x < width - 1; ++x) {
    const float across = flow[x + 1] - flow[x];
    const float along = below[x] - flow[x];
    const float shrink = 1.0F / (1.0F + kStep * std::sqrt(across * across + along * along));
    p[x] = (p[x] + kStep * across) * shrink;
    q[x] = (q[x] + kStep * along) * shrink;
  }
  const int last = width - 1;
  const float along = below[last] - flow[last];
  const float shrink = 1.0F / (1.0F + kStep * std::abs(along));
  p[last] = 0;
  q[last] = (q[last] + kStep * along) * shrink;
}

// An image and its gradients in x and y as channels: central differences; one-sided differences,
// halved, at the border.
cv::Mat with_slopes(const cv::Mat& picture) {
  cv::Mat result(picture.size(), CV_32FC3);
  for (int y = 0; y < picture.rows; ++y) {
    const auto* row = picture.ptr<float>(y);
    const auto* above = picture.ptr<float>(std::max(y - 1, 0));
    const auto* below = picture.ptr<float>(std::min(y + 1, picture.rows - 1));
    auto* out = result.ptr<cv::Vec3f>(y);
    for (int x = 0; x < picture.cols; ++x) {
      out[x] = {row[x], 0.5F * (row[std::min(x + 1, picture.cols - 1)] - row[std::max(x - 1, 0)]),
                0.5F * (below[x] - above[x])};
    }
  }
  return result;
}

// The problem at one scale.
class Scale {
 public:
  Scale(const cv::Mat& earlier, const cv::Mat& later, const cv::Mat& right, const cv::Mat& down)
      : earlier_(earlier),
        later_(with_slopes(later)),
        width_(earlier.cols),
        height_(earlier.rows),
        right_(width_, height_),
        down_(width_, height_),
        slope_x_(width_, height_),
        slope_y_(width_, height_),
        inverse_(width_, height_),
        constant_(width_, height_) {
    if (right.empty()) return;
    take(right, &right_);
    take(down, &down_);
  }

  void solve() {
    for (int warp = 0; warp < kWarps; ++warp) {
      stop_if_interrupted();
      linearise();
      const double enough = kConvergence * kConvergence * width_ * height_;
      double change = DBL_MAX;
      for (int round = 0; round < kRounds && change > enough; ++round) {
        smooth(&right_);
        smooth(&down_);
        for (int step = 0; step < kStepsARound && change > enough; step += kStepsAtOnce) {
          change = several_steps();
        }
      }
    }
  }

  void copy_to(cv::Mat* right, cv::Mat* down) {
    right_.flow.matrix().copyTo(*right);
    down_.flow.matrix().copyTo(*down);
  }

 private:
  void take(const cv::Mat& coarse, Component* component) {
    cv::Mat fine = component->flow.matrix();
    cv::resize(coarse, fine, fine.size(), 0, 0, cv::INTER_LINEAR);
    fine *= 1 / kScaleStep;
  }

  void smooth(Component* component) {
    cv::Mat flow = component->flow.matrix();
    cv::medianBlur(flow, filtered_, kMedian);
    filtered_.copyTo(flow);
  }

  // The second image warped by the current flow, and its gradients: the brightness is linearised
  // around the current flow.
  void linearise() {
    map_x_.create(height_, width_, CV_32F);
    map_y_.create(height_, width_, CV_32F);
    for (int y = 0; y < height_; ++y) {
      const float* u = right_.flow.row(y);
      const float* v = down_.flow.row(y);
      auto* to_x = map_x_.ptr<float>(y);
      auto* to_y = map_y_.ptr<float>(y);
      for (int x = 0; x < width_; ++x) {
        to_x[x] = static_cast<float>(x) + u[x];
        to_y[x] = static_cast<float>(y) + v[x];
      }
    }
    // Outside of the image everything is 0, so that only smoothness counts.
    cv::remap(later_, shifted_, map_x_, map_y_, cv::INTER_CUBIC);
    for (int y = 0; y < height_; ++y) {
      const float* u = right_.flow.row(y);
      const float* v = down_.flow.row(y);
      float* across = slope_x_.row(y);
      float* along = slope_y_.row(y);
      const auto* shifted = shifted_.ptr<cv::Vec3f>(y);
      const auto* fixed = earlier_.ptr<float>(y);
      float* inverse = inverse_.row(y);
      float* constant = constant_.row(y);
      for (int x = 0; x < width_; ++x) {
        across[x] = shifted[x][1];
        along[x] = shifted[x][2];
        const float squared = across[x] * across[x] + along[x] * along[x];
        inverse[x] = squared > FLT_EPSILON ? 1.0F / squared : 0.0F;
        constant[x] = shifted[x][0] - across[x] * u[x] - along[x] * v[x] - fixed[x];
      }
    }
  }

  // Each step is two rows behind the previous one, so that all rows it reads are up to date and in
  // the cache. Returns the change of the last step.
  double several_steps() {
    double change = 0;
    for (int front = 0; front <= height_ + 2 * (kStepsAtOnce - 1); ++front) {
      for (int step = 0; step < kStepsAtOnce; ++step) {
        const int y = front - 2 * step;
        if (y < 0 || y > height_) continue;
        const double moved = step_row(y);
        if (step == kStepsAtOnce - 1) change += moved;
      }
    }
    return change;
  }

  // Updates the flow of row y, then the dual variables of row y - 1.
  double step_row(int y) {
    double change = 0;
    if (y < height_) {
      change = vectorised<update_flow>(
          DataRow{slope_x_.row(y), slope_y_.row(y), inverse_.row(y), constant_.row(y)},
          rows(&right_, y), rows(&down_, y), width_);
    }
    if (y > 0) {
      for (Component* part : {&right_, &down_}) {
        const float* below = part->flow.row(y < height_ ? y : y - 1);
        vectorised<update_dual>(part->flow.row(y - 1), below, part->p.row(y - 1),
                                part->q.row(y - 1), width_);
      }
    }
    return change;
  }

  static FlowRow rows(Component* part, int y) {
    return {part->flow.row(y), part->p.row(y), part->q.row(y), part->q.row(y - 1)};
  }

  cv::Mat earlier_, later_;
  int width_, height_;
  Component right_, down_;
  Plane slope_x_, slope_y_, inverse_, constant_;
  cv::Mat map_x_, map_y_, shifted_, filtered_;
};

}  // namespace

void Tvl1::compute(const cv::Mat& earlier, const cv::Mat& later) {
  keep_to_own_thread();
  std::vector<cv::Mat> first(1);
  std::vector<cv::Mat> second(1);
  earlier.convertTo(first[0], CV_32F);
  later.convertTo(second[0], CV_32F);
  while (std::ssize(first) < kScales) {
    const cv::Mat& last = first.back();
    const cv::Size size(cvRound(last.cols * kScaleStep), cvRound(last.rows * kScaleStep));
    if (std::min(size.width, size.height) < kSmallestSide) break;
    cv::Mat smaller;
    cv::Mat smaller_too;
    cv::resize(last, smaller, size, 0, 0, cv::INTER_LINEAR);
    cv::resize(second.back(), smaller_too, size, 0, 0, cv::INTER_LINEAR);
    first.push_back(smaller);
    second.push_back(smaller_too);
  }
  right_.release();
  down_.release();
  for (int scale = static_cast<int>(first.size()) - 1; scale >= 0; --scale) {
    Scale problem(first[scale], second[scale], right_, down_);
    problem.solve();
    problem.copy_to(&right_, &down_);
  }
}

}  // namespace manyverbs
