// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/temporal_shift.h"

#include <cassert>
#include <cstddef>
#include <cstring>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "manyverbs/support/internal/parallel.h"

namespace manyverbs {
namespace {

// `first_from` is the source of the first eighth of the channels: 1 is the next frame, -1 the
// previous one. The source of the second eighth is the opposite.
at::Tensor shifted(const at::Tensor& frames, std::int64_t segments, std::int64_t first_from) {
  const at::Tensor in = frames.contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor out = at::empty_like(in);
  const std::int64_t pixels = in.size(2) * in.size(3);
  // In bytes, to support all element types.
  const std::int64_t channels = in.size(1) * static_cast<std::int64_t>(in.element_size());
  const std::int64_t eighth = in.size(1) / 8 * static_cast<std::int64_t>(in.element_size());
  const auto* from = static_cast<const std::byte*>(in.data_ptr());
  auto* to = static_cast<std::byte*>(out.data_ptr());
  const auto copy_eighth = [&](std::int64_t frame, std::int64_t source, std::int64_t begin) {
    const std::int64_t segment = frame % segments;
    const std::int64_t found = segment + source;
    const bool inside = found >= 0 && found < segments;
    for (std::int64_t p = 0; p < pixels; ++p) {
      std::byte* place = to + (frame * pixels + p) * channels + begin;
      if (inside) {
        std::memcpy(place, from + ((frame + source) * pixels + p) * channels + begin, eighth);
      } else {
        std::memset(place, 0, eighth);
      }
    }
  };
  parallel_for(in.size(0), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t frame = begin; frame < end; ++frame) {
      const std::int64_t start = static_cast<std::int64_t>(frame) * pixels * channels;
      std::memcpy(to + start, from + start, pixels * channels);
      if (eighth == 0) continue;
      copy_eighth(static_cast<std::int64_t>(frame), first_from, 0);
      copy_eighth(static_cast<std::int64_t>(frame), -first_from, eighth);
    }
  });
  return out;
}

// The backward of a shift is the shift in the other direction.
struct Shift : torch::autograd::Function<Shift> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& frames,
                            std::int64_t segments) {
    context->saved_data["segments"] = segments;
    return shifted(frames, segments, 1);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {shifted(gradients[0], context->saved_data["segments"].toInt(), -1), at::Tensor()};
  }
};

}  // namespace

at::Tensor temporal_shift(const at::Tensor& frames, int segments) {
  assert(frames.dim() == 4 && frames.size(0) % segments == 0);
  if (!frames.requires_grad()) return shifted(frames, segments, 1);
  return Shift::apply(frames, segments);
}

}  // namespace manyverbs
