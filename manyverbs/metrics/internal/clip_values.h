// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "manyverbs/labels/targets.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

/// The metrics of metrics.h that are means over clips, before the mean is taken: one value per
/// clip, NaN for a clip without a true class.

std::vector<double> top1_of_clips(const Matrix<float>& scores, const LabelMatrix& truth);
std::vector<double> top_set_of_clips(const Matrix<float>& scores, const LabelMatrix& truth);

struct OverlapOfClips {
  std::vector<double> iou;
  std::vector<double> f1;
  std::vector<double> predicted;  ///< number of predicted classes, defined for every clip
};
/// IOU and F1 are NaN if the threshold is NaN.
OverlapOfClips overlap_of_clips(const Matrix<float>& scores, const LabelMatrix& truth,
                                double threshold);

}  // namespace manyverbs
