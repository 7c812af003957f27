// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "manyverbs/knn/internal/candidates.h"
#include "manyverbs/knn/internal/exact_distance.h"
#include "manyverbs/knn/internal/panels.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"

namespace manyverbs::knn_internal {
namespace {

// The state of the search for one query.
struct OpenQuery {
  OpenQuery(const FeatureTable& table, Metric metric, std::size_t k, std::size_t query_place,
            ClipRow row)
      : place(query_place), distance(table, metric), nearest(k) {
    distance.set_query(row);
  }

  // In the order of clips, a later one at the same distance does not enter a full list.
  bool finished() const { return nearest.full() && nearest.limit() <= distance.least_possible(); }

  std::size_t place;
  double limit = std::numeric_limits<double>::infinity();  // an upper bound of the k-th distance
  ExactDistance distance;
  NearestList nearest;
};

class Ranking {
 public:
  Ranking(const FeatureTable& table, std::span<const ClipRow> queries,
          std::span<const ClipRow> clips, std::size_t k, Metric metric, bool within)
      : table_(table), queries_(queries), clips_(clips), k_(k), metric_(metric), within_(within) {
    result_.neighbours = {Matrix<ClipRow>(queries.size(), k), Matrix<float>(queries.size(), k)};
  }

  SearchResult run(const BoundedProducts& products, const CandidateLists& lists) {
    const std::vector<Uncertain> uncertain = rank_candidates(lists);
    result_.repeated_queries = uncertain.size();
    for (std::size_t i = 0; i < uncertain.size(); i += kTileRows) {
      const std::size_t count = std::min(kTileRows, uncertain.size() - i);
      compare_again(products, std::span(uncertain).subspan(i, count));
    }
    result_.exact_distances = exact_distances_;
    return std::move(result_);
  }

 private:
  struct Uncertain {
    std::size_t place;
    double limit;
  };

  std::vector<Uncertain> rank_candidates(const CandidateLists& lists);
  bool rank_query(const CandidateLists& lists, OpenQuery* query);
  void compare_again(const BoundedProducts& products, std::span<const Uncertain> uncertain);
  void look_through(const Tile& clips, const float* products, double floor, OpenQuery* query);
  void keep(const OpenQuery& query);

  const FeatureTable& table_;
  std::span<const ClipRow> queries_;
  std::span<const ClipRow> clips_;
  std::size_t k_;
  Metric metric_;
  bool within_;
  SearchResult result_;
  std::atomic<std::size_t> exact_distances_ = 0;
};

void Ranking::keep(const OpenQuery& query) {
  const auto entries = query.nearest.entries();
  for (std::size_t j = 0; j < k_; ++j) {
    result_.neighbours.clips(query.place, j) = clips_[entries[j].place];
    result_.neighbours.distances(query.place, j) =
        reported_distance(entries[j].squared_distance, metric_);
  }
}

// Whether the list is final: all clips were candidates, or the others are too far away.
bool Ranking::rank_query(const CandidateLists& lists, OpenQuery* query) {
  std::size_t taken = 0;
  bool certain = lists.width() == clips_.size() - (within_ ? 1 : 0);
  for (const auto& candidate : lists.sorted(query->place)) {
    if (candidate.bound > query->nearest.limit()) {
      certain = true;
      break;
    }
    query->nearest.insert(query->distance.to(clips_[candidate.place]), candidate.place);
    ++taken;
  }
  exact_distances_ += taken;
  return certain;
}

std::vector<Ranking::Uncertain> Ranking::rank_candidates(const CandidateLists& lists) {
  std::vector<Uncertain> uncertain;
  std::mutex uncertain_lock;
  parallel_for(queries_.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      stop_if_interrupted();
      OpenQuery query(table_, metric_, k_, i, queries_[i]);
      if (rank_query(lists, &query)) {
        keep(query);
      } else {
        const std::lock_guard lock(uncertain_lock);
        uncertain.push_back({i, query.nearest.limit()});
      }
    }
  });
  return uncertain;
}

void Ranking::compare_again(const BoundedProducts& products, std::span<const Uncertain> uncertain) {
  std::vector<ClipRow> rows;
  std::vector<OpenQuery> open;
  for (const auto& [place, limit] : uncertain) {
    rows.push_back(queries_[place]);
    open.emplace_back(table_, metric_, k_, place, rows.back()).limit = limit;
  }
  PreparedRows prepared;
  PreparedRows clips;
  products.prepare(rows, 0, rows.size(), &prepared);
  const Tile query_tile = prepared.tiles(products.columns())[0];
  std::vector<float> out(kTileRows * kTileRows);
  const auto is_finished = [](const OpenQuery& query) { return query.finished(); };
  for (std::size_t first = 0;
       first < clips_.size() && !std::all_of(open.begin(), open.end(), is_finished);
       first += kTileRows) {
    stop_if_interrupted();
    products.prepare(clips_, first, std::min(kTileRows, clips_.size() - first), &clips);
    const Tile clip_tile = clips.tiles(products.columns())[0];
    products.multiply(query_tile, clip_tile, out.data());
    parallel_for(open.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        look_through(clip_tile, out.data() + i * clip_tile.size, prepared.floors[i], &open[i]);
      }
    });
  }
  for (const OpenQuery& query : open) keep(query);
}

void Ranking::look_through(const Tile& clips, const float* products, double floor,
                           OpenQuery* query) {
  std::array<std::int32_t, kTileRows> places;
  const double limit = std::min(query->limit, query->nearest.limit());
  const float bound =
      std::nextafter(static_cast<float>(limit - floor), std::numeric_limits<float>::infinity());
  const std::size_t found = places_within(products, clips.floors, bound, clips.size, places.data());
  std::size_t taken = 0;
  for (const std::int32_t j : std::span(places).first(found)) {
    if (query->finished()) break;
    const std::size_t place = clips.first + j;
    if (within_ && place == query->place) continue;
    if (floor + products[j] + clips.floors[j] > query->nearest.limit()) continue;
    query->nearest.insert(query->distance.to(clips_[place]), place);
    ++taken;
  }
  exact_distances_ += taken;
}

}  // namespace

SearchResult search_within(const FeatureTable& table, std::span<const ClipRow> clips, int k,
                           Metric metric, const SearchSettings& settings) {
  const BoundedProducts products(table, clips, metric);
  const std::size_t width = std::min(k + settings.spare_candidates, clips.size() - 1);
  const CandidateLists lists = candidates_within(products, clips, width, settings.panel_bytes);
  return Ranking(table, clips, clips, k, metric, true).run(products, lists);
}

SearchResult search_of(const FeatureTable& table, std::span<const ClipRow> queries,
                       std::span<const ClipRow> clips, int k, Metric metric,
                       const SearchSettings& settings) {
  const BoundedProducts products(table, clips, metric);
  const std::size_t width = std::min(k + settings.spare_candidates, clips.size());
  const CandidateLists lists = candidates_of(products, queries, clips, width, settings.panel_bytes);
  return Ranking(table, queries, clips, k, metric, false).run(products, lists);
}

}  // namespace manyverbs::knn_internal
