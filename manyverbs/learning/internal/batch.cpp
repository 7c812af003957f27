// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/batch.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <ATen/ATen.h>

namespace manyverbs {

std::vector<std::pair<std::size_t, std::size_t>> batch_ranges(std::size_t n, std::size_t batch,
                                                              Recipe recipe) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t begin = 0; begin < n; begin += batch) {
    const std::size_t end = std::min(begin + batch, n);
    const bool is_first = ranges.empty();
    if (recipe == Recipe::Released && end - begin < batch && !is_first) break;
    if (end - begin == 1 && !is_first) {
      ranges.back().second = end;
    } else {
      ranges.emplace_back(begin, end);
    }
  }
  return ranges;
}

LabelMatrix target_rows(const LabelMatrix& targets, std::span<const int> rows) {
  LabelMatrix chosen(rows.size(), targets.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = targets.row(rows[i]);
    std::copy(row.begin(), row.end(), chosen.row(i).begin());
  }
  return chosen;
}

LabelMatrix stacked(const LabelMatrix& first, const LabelMatrix& second) {
  assert(first.columns() == second.columns());
  std::vector<Label> labels = first.values();
  labels.insert(labels.end(), second.values().begin(), second.values().end());
  return {first.rows() + second.rows(), first.columns(), std::move(labels)};
}

LossInput loss_input(const Matrix<float>& scores, const LabelMatrix& targets,
                     const RunSettings& settings, int epoch) {
  return {scores, targets, settings.loss_settings, settings.recipe, epoch, settings.epochs};
}

double backward(
    const at::Tensor& scores,
    const std::function<double(const Matrix<float>& scores, Matrix<float>* gradient)>& compute,
    double scale) {
  const at::Tensor plain = scores.detach().to(at::kCPU).contiguous();
  Matrix<float> values(plain.size(0), plain.size(1));
  Matrix<float> gradient(plain.size(0), plain.size(1));
  std::memcpy(values.data(), plain.data_ptr<float>(), plain.numel() * sizeof(float));
  const double value = compute(values, &gradient);
  // The product is a copy, since the gradient may outlive the matrix.
  scores.backward(
      at::from_blob(gradient.data(), plain.sizes(), at::kFloat).mul(scale).to(scores.device()));
  return value;
}

}  // namespace manyverbs
