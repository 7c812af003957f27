// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/candidates.h"

#include <algorithm>
#include <array>
#include <limits>

#include "manyverbs/support/internal/vectorised.h"

namespace manyverbs::knn_internal {
namespace {

// Most blocks of 16 have no hit, which one vector comparison detects.
template <typename IsWithin>
[[gnu::always_inline]] inline std::size_t collect(std::size_t count, std::int32_t* places,
                                                  IsWithin is_within) {
  std::size_t found = 0;
  std::size_t j = 0;
  for (; j + 16 <= count; j += 16) {
    int any = 0;
    for (std::size_t lane = 0; lane < 16; ++lane) any |= static_cast<int>(is_within(j + lane));
    if (any == 0) continue;
    for (std::size_t lane = 0; lane < 16; ++lane) {
      places[found] = static_cast<std::int32_t>(j + lane);
      found += static_cast<std::size_t>(is_within(j + lane));
    }
  }
  for (; j < count; ++j) {
    if (is_within(j)) places[found++] = static_cast<std::int32_t>(j);
  }
  return found;
}

// One limit for all, one floor for each.
[[gnu::always_inline]] inline std::size_t places_within_limit(const float* products,
                                                              const float* floors, float limit,
                                                              std::size_t count,
                                                              std::int32_t* places) {
  return collect(count, places, [=](std::size_t j) { return !(products[j] + floors[j] > limit); });
}

// One floor for all, one limit for each.
[[gnu::always_inline]] inline std::size_t places_within_limits(const float* products, float floor,
                                                               const float* limits,
                                                               std::size_t count,
                                                               std::int32_t* places) {
  return collect(count, places, [=](std::size_t j) { return !(products[j] + floor > limits[j]); });
}

}  // namespace

std::size_t places_within(const float* products, const float* floors, float limit,
                          std::size_t count, std::int32_t* places) {
  return vectorised<places_within_limit>(products, floors, limit, count, places);
}

CandidateLists::CandidateLists(std::size_t queries, std::size_t width)
    : heaps_(queries, width, Entry{std::numeric_limits<float>::infinity(), -1}),
      floors_(queries),
      tile_locks_((queries + kTileRows - 1) / kTileRows) {}

void CandidateLists::insert(std::size_t query, float key, std::size_t clip) {
  if (!(key < largest_key(query))) return;
  const auto heap = heaps_.row(query);
  std::pop_heap(heap.begin(), heap.end());
  heap.back() = {key, static_cast<std::int32_t>(clip)};
  std::push_heap(heap.begin(), heap.end());
}

void CandidateLists::offer(const Tile& queries, const Tile& clips, const float* products,
                           bool within) {
  const std::lock_guard lock(tile_locks_[queries.first / kTileRows]);
  std::array<std::int32_t, kTileRows> places;
  for (std::size_t i = 0; i < queries.size; ++i) {
    const std::size_t query = queries.first + i;
    floors_[query] = queries.floors[i];
    const float* row = products + i * clips.size;
    const std::size_t found =
        places_within(row, clips.floors, largest_key(query), clips.size, places.data());
    for (const std::int32_t j : std::span(places).first(found)) {
      if (within && clips.first + j == query) continue;
      insert(query, row[j] + clips.floors[j], clips.first + j);
    }
  }
}

void CandidateLists::offer_transposed(const Tile& queries, const Tile& clips,
                                      const float* products) {
  const std::lock_guard lock(tile_locks_[queries.first / kTileRows]);
  std::array<std::int32_t, kTileRows> places;
  std::array<float, kTileRows> limits;
  for (std::size_t j = 0; j < queries.size; ++j) limits[j] = largest_key(queries.first + j);
  for (std::size_t i = 0; i < clips.size; ++i) {
    const float* row = products + i * queries.size;
    const std::size_t found = vectorised<places_within_limits>(row, clips.floors[i], limits.data(),
                                                               queries.size, places.data());
    for (const std::int32_t j : std::span(places).first(found)) {
      insert(queries.first + j, row[j] + clips.floors[i], clips.first + i);
      limits[j] = largest_key(queries.first + j);
    }
  }
}

std::vector<CandidateLists::Candidate> CandidateLists::sorted(std::size_t query) const {
  std::vector<Candidate> candidates;
  for (const Entry& entry : heaps_.row(query)) {
    candidates.push_back({static_cast<double>(floors_[query]) + entry.key, entry.place});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
  return candidates;
}

}  // namespace manyverbs::knn_internal
