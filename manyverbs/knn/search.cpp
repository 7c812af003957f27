// SPDX-License-Identifier: MIT
#include "manyverbs/knn/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "manyverbs/knn/candidates.h"
#include "manyverbs/knn/exact_distance.h"
#include "manyverbs/support/parallel.h"

namespace manyverbs {
namespace {

// A query to compare again: its k-th nearest is no further away than `limit`.
struct OpenQuery {
  std::size_t place;
  double limit;
};

class Ranking {
 public:
  Ranking(const FeatureTable& table, std::span<const int> queries, std::span<const int> clips,
          std::size_t k, Metric metric, bool within)
      : table_(table), queries_(queries), clips_(clips), k_(k), metric_(metric), within_(within) {
    result_.neighbours = {Matrix<std::int32_t>(queries.size(), k),
                          Matrix<float>(queries.size(), k)};
  }

  SearchResult run(const BoundedProducts& products, const CandidateLists& lists) {
    std::vector<OpenQuery> open = rank_candidates(lists);
    result_.repeated_queries = open.size();
    for (std::size_t i = 0; i < open.size(); i += kTileRows) {
      compare_again(products, std::span(open).subspan(i, std::min(kTileRows, open.size() - i)));
    }
    result_.exact_distances = exact_distances_;
    return std::move(result_);
  }

 private:
  std::vector<OpenQuery> rank_candidates(const CandidateLists& lists);
  bool rank_query(const CandidateLists& lists, std::size_t query, ExactDistance* distance,
                  NearestList* nearest);
  void compare_again(const BoundedProducts& products, std::span<const OpenQuery> open);
  void look_through(std::size_t query, double limit, double floor, const Tile& clips,
                    const float* products, ExactDistance* distance, NearestList* nearest);
  void keep(std::size_t query, const NearestList& nearest);

  const FeatureTable& table_;
  std::span<const int> queries_;
  std::span<const int> clips_;
  std::size_t k_;
  Metric metric_;
  bool within_;
  SearchResult result_;
  std::atomic<std::size_t> exact_distances_ = 0;
};

void Ranking::keep(std::size_t query, const NearestList& nearest) {
  const auto entries = nearest.entries();
  for (std::size_t j = 0; j < k_; ++j) {
    result_.neighbours.clips(query, j) = clips_[entries[j].place];
    result_.neighbours.distances(query, j) =
        reported_distance(entries[j].squared_distance, metric_);
  }
}

// Whether the list is certain: all clips were candidates, or those left out are too far away.
bool Ranking::rank_query(const CandidateLists& lists, std::size_t query, ExactDistance* distance,
                         NearestList* nearest) {
  distance->set_query(queries_[query]);
  std::size_t taken = 0;
  bool certain = lists.width() == clips_.size() - (within_ ? 1 : 0);
  for (const auto& candidate : lists.sorted(query)) {
    if (candidate.bound > nearest->limit()) {
      certain = true;
      break;
    }
    nearest->insert(distance->to(clips_[candidate.place]), candidate.place);
    ++taken;
  }
  exact_distances_ += taken;
  return certain;
}

std::vector<OpenQuery> Ranking::rank_candidates(const CandidateLists& lists) {
  std::vector<OpenQuery> open;
  std::mutex open_lock;
  parallel_for(queries_.size(), 16, [&](std::size_t begin, std::size_t end) {
    ExactDistance distance(table_, metric_);
    for (std::size_t query = begin; query < end; ++query) {
      NearestList nearest(k_);
      if (rank_query(lists, query, &distance, &nearest)) {
        keep(query, nearest);
      } else {
        const std::lock_guard lock(open_lock);
        open.push_back({query, nearest.limit()});
      }
    }
  });
  return open;
}

void Ranking::compare_again(const BoundedProducts& products, std::span<const OpenQuery> open) {
  std::vector<int> rows;
  std::vector<ExactDistance> distances;
  std::vector<NearestList> nearest(open.size(), NearestList(k_));
  for (const OpenQuery& query : open) {
    rows.push_back(queries_[query.place]);
    distances.emplace_back(table_, metric_).set_query(rows.back());
  }
  PreparedRows prepared;
  PreparedRows clips;
  products.prepare(rows, 0, rows.size(), &prepared);
  const Tile tile = prepared.tiles(products.columns())[0];
  std::vector<float> out(kTileRows * kTileRows);
  for (std::size_t first = 0; first < clips_.size(); first += kTileRows) {
    products.prepare(clips_, first, std::min(kTileRows, clips_.size() - first), &clips);
    const Tile clip_tile = clips.tiles(products.columns())[0];
    products.multiply(tile, clip_tile, out.data());
    parallel_for(open.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        look_through(open[i].place, open[i].limit, prepared.floors[i], clip_tile,
                     out.data() + i * clip_tile.size, &distances[i], &nearest[i]);
      }
    });
  }
  for (std::size_t i = 0; i < open.size(); ++i) keep(open[i].place, nearest[i]);
}

void Ranking::look_through(std::size_t query, double limit, double floor, const Tile& clips,
                           const float* products, ExactDistance* distance, NearestList* nearest) {
  // Clips come in order, so that a later one at the same distance has no place in a full list.
  const auto finished = [&] {
    return nearest->full() && nearest->limit() <= distance->least_possible();
  };
  if (finished()) return;
  std::array<std::int32_t, kTileRows> places;
  const float bound = std::nextafter(static_cast<float>(std::min(limit, nearest->limit()) - floor),
                                     std::numeric_limits<float>::infinity());
  const std::size_t found = places_within(products, clips.floors, bound, clips.size, places.data());
  std::size_t taken = 0;
  for (const std::int32_t j : std::span(places).first(found)) {
    const std::size_t place = clips.first + j;
    if (within_ && place == query) continue;
    if (floor + products[j] + clips.floors[j] > nearest->limit()) continue;
    nearest->insert(distance->to(clips_[place]), place);
    ++taken;
    if (finished()) break;
  }
  exact_distances_ += taken;
}

}  // namespace

SearchResult search_within(const FeatureTable& table, std::span<const int> clips, int k,
                           Metric metric, const SearchSettings& settings) {
  const BoundedProducts products(table, clips, metric);
  const std::size_t width = std::min(k + settings.spare_candidates, clips.size() - 1);
  const CandidateLists lists = candidates_within(products, clips, width, settings.panel_bytes);
  return Ranking(table, clips, clips, k, metric, true).run(products, lists);
}

SearchResult search_of(const FeatureTable& table, std::span<const int> queries,
                       std::span<const int> clips, int k, Metric metric,
                       const SearchSettings& settings) {
  const BoundedProducts products(table, clips, metric);
  const std::size_t width = std::min(k + settings.spare_candidates, clips.size());
  const CandidateLists lists = candidates_of(products, queries, clips, width, settings.panel_bytes);
  return Ranking(table, queries, clips, k, metric, false).run(products, lists);
}

}  // namespace manyverbs
