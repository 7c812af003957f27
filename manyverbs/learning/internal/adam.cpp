// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/adam.h"

#include <array>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>

#include "manyverbs/learning/internal/small_batch.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs {
namespace {

// The factors of one step, equal for all parameters.
struct Factors {
  float beta1;
  float beta2;
  float rest1;       // 1 - beta1, computed in double: float has an error in the fifth digit
  float rest2;       // 1 - beta2
  float rate;        // learning rate / bias correction of the first moment
  float root_scale;  // 1 / sqrt(bias correction of the second moment)
  float epsilon;
};

// Each array is read and written once: 28 bytes per parameter.
[[gnu::always_inline]] inline void update(float* __restrict parameter, float* __restrict first,
                                          float* __restrict second,
                                          const float* __restrict gradient, std::size_t count,
                                          Factors f) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i];
    const float m = f.beta1 * first[i] + f.rest1 * g;
    const float v = f.beta2 * second[i] + f.rest2 * g * g;
    first[i] = m;
    second[i] = v;
    parameter[i] -= f.rate * m / (std::sqrt(v) * f.root_scale + f.epsilon);
  }
}

Factors factors_at(std::int64_t step, double learning_rate, const AdamSettings& settings) {
  const auto t = static_cast<double>(step);
  const double correction1 = 1.0 - std::pow(settings.beta1, t);
  const double correction2 = 1.0 - std::pow(settings.beta2, t);
  return {static_cast<float>(settings.beta1),
          static_cast<float>(settings.beta2),
          static_cast<float>(1.0 - settings.beta1),
          static_cast<float>(1.0 - settings.beta2),
          static_cast<float>(learning_rate / correction1),
          static_cast<float>(1.0 / std::sqrt(correction2)),
          static_cast<float>(settings.epsilon)};
}

bool fits_one_pass(const at::Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.is_contiguous();
}

}  // namespace

Adam::Adam(std::vector<at::Tensor> parameters, const AdamSettings& settings)
    : learning_rate(settings.learning_rate),
      parameters_(std::move(parameters)),
      settings_(settings) {
  for (const at::Tensor& parameter : parameters_) {
    first_moments.push_back(at::zeros_like(parameter).requires_grad_(false));
    second_moments.push_back(at::zeros_like(parameter).requires_grad_(false));
  }
}

void Adam::step() {
  ++steps;
  const Factors factors = factors_at(steps, learning_rate, settings_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor parameter = parameters_[i].detach();
    const at::Tensor gradient = parameters_[i].grad();
    if (!gradient.defined()) continue;
    at::Tensor& m = first_moments[i];
    at::Tensor& v = second_moments[i];
    if (fits_one_pass(parameter) && fits_one_pass(gradient)) {
      auto* p_data = parameter.data_ptr<float>();
      auto* m_data = m.data_ptr<float>();
      auto* v_data = v.data_ptr<float>();
      const auto* g_data = gradient.data_ptr<float>();
      const auto count = static_cast<std::size_t>(parameter.numel());
      parallel_for(count, 1 << 15, [&](std::size_t begin, std::size_t end) {
        vectorised<update>(p_data + begin, m_data + begin, v_data + begin, g_data + begin,
                           end - begin, factors);
      });
    } else {
      m.mul_(settings_.beta1).add_(gradient, 1.0 - settings_.beta1);
      v.mul_(settings_.beta2).addcmul_(gradient, gradient, 1.0 - settings_.beta2);
      parameter.addcdiv_(m, v.sqrt().mul_(factors.root_scale).add_(settings_.epsilon),
                         -factors.rate);
    }
    parameters_[i].mutable_grad().reset();
  }
}

void Adam::step_weight(std::size_t place, const at::Tensor& output_gradient,
                       const at::Tensor& inputs) {
  const at::Tensor parameter = parameters_[place].detach();
  if (!fits_one_pass(parameter) || !fits_one_pass(output_gradient) || !fits_one_pass(inputs)) {
    parameters_[place].mutable_grad() = output_gradient.t().mm(inputs);
    return;
  }
  const Factors factors = factors_at(steps + 1, learning_rate, settings_);
  const LayerShape shape{static_cast<std::size_t>(output_gradient.size(0)),
                         static_cast<std::size_t>(parameter.size(0)),
                         static_cast<std::size_t>(parameter.size(1))};
  auto* p_data = parameter.data_ptr<float>();
  auto* m_data = first_moments[place].data_ptr<float>();
  auto* v_data = second_moments[place].data_ptr<float>();
  const std::array<const float*, 3> needed = {p_data, m_data, v_data};
  for_weight_gradient(shape, output_gradient.data_ptr<float>(), inputs.data_ptr<float>(), needed,
                      [&](std::size_t at, const float* gradient, std::size_t count) {
                        vectorised<update>(p_data + at, m_data + at, v_data + at, gradient, count,
                                           factors);
                      });
}

}  // namespace manyverbs
