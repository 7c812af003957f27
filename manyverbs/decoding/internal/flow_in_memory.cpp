// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/flow_in_memory.h"

#include <algorithm>
#include <set>

#include "manyverbs/support/internal/interruption.h"

namespace manyverbs {

int num_flow_fields(int frames) { return std::max(1, frames - 1); }

std::vector<int> frames_for_flow(std::span<const int> fields, int frames) {
  std::set<int> positions;
  for (const int field : fields) {
    positions.insert(field);
    positions.insert(std::min(field + 1, frames - 1));
  }
  return {positions.begin(), positions.end()};
}

std::vector<Image> flow_in_memory(const std::map<int, Image>& grey, std::span<const int> fields,
                                  const FlowSettings& settings, int short_side) {
  FlowEstimator estimator(settings.method);
  std::map<int, Image> computed;  // stacks share fields and short clips repeat them
  for (const int field : std::set<int>(fields.begin(), fields.end())) {
    stop_if_interrupted();
    const Image& earlier = grey.at(field);
    const PictureSize size{earlier.width, earlier.height};
    const auto later = grey.find(field + 1);
    const Image flow = later == grey.end()
                           ? no_motion(size)
                           : estimator.encoded_between(earlier, later->second, settings.bound);
    const PictureSize wanted = size_with_short_side(size, short_side);
    computed[field] = as_stored(flow);
    if (wanted != size) computed[field] = resized(computed[field], wanted);
  }
  std::vector<Image> pictures;
  for (const int field : fields) pictures.push_back(computed.at(field));
  return pictures;
}

}  // namespace manyverbs
