// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/panels.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs::knn_internal {
namespace {

using TilePair = std::pair<Tile, Tile>;

std::size_t rows_in_panel(std::size_t columns, std::size_t panel_bytes) {
  const std::size_t rows = panel_bytes / (sizeof(float) * std::max<std::size_t>(columns, 1));
  return std::max(rows / kTileRows, std::size_t{1}) * kTileRows;
}

// Consecutive pairs have no tile in common, so threads rarely wait for each other.
std::vector<TilePair> pairs_within(const std::vector<Tile>& tiles) {
  std::vector<TilePair> pairs;
  for (std::size_t shift = 0; shift < tiles.size(); ++shift) {
    for (std::size_t i = 0; i + shift < tiles.size(); ++i) {
      pairs.emplace_back(tiles[i], tiles[i + shift]);
    }
  }
  return pairs;
}

std::vector<TilePair> pairs_across(const std::vector<Tile>& a, const std::vector<Tile>& b) {
  std::vector<TilePair> pairs;
  for (std::size_t shift = 0; shift < b.size(); ++shift) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      pairs.emplace_back(a[i], b[(i + shift) % b.size()]);
    }
  }
  return pairs;
}

// Each thread takes the next pair when it has finished one. One product per thread is faster than
// all threads on one product, and much faster if another program uses a core.
class Comparison {
 public:
  Comparison(const BoundedProducts& products, CandidateLists* lists, bool within,
             std::size_t distances)
      : products_(products),
        lists_(lists),
        within_(within),
        progress_("neighbours", static_cast<std::int64_t>(distances)) {}

  void run(const std::vector<TilePair>& pairs) {
    std::atomic<std::size_t> next = 0;
    parallel_for(num_threads(), 1, [&](std::size_t, std::size_t) {
      std::vector<float> out(kTileRows * kTileRows);
      for (std::size_t i = next++; i < pairs.size(); i = next++) {
        stop_if_interrupted();
        compare(pairs[i], out.data());
      }
    });
  }

 private:
  void compare(const TilePair& pair, float* out) {
    const auto& [a, b] = pair;
    products_.multiply(a, b, out);
    lists_->offer(a, b, out, within_);
    const bool both = within_ && a.first != b.first;
    if (both) lists_->offer_transposed(b, a, out);
    const std::lock_guard lock(progress_lock_);
    progress_.advance(static_cast<std::int64_t>((both ? 2 : 1) * a.size * b.size));
  }

  const BoundedProducts& products_;
  CandidateLists* lists_;
  bool within_;
  std::mutex progress_lock_;
  Progress progress_;
};

// Processes a list in panels; the system can read the next panel during the computation.
class Panels {
 public:
  Panels(const BoundedProducts& products, std::span<const ClipRow> list, std::size_t panel_bytes)
      : products_(products),
        list_(list),
        step_(rows_in_panel(products.columns(), panel_bytes)),
        count_((list.size() + step_ - 1) / step_) {}

  std::size_t count() const { return count_; }

  std::vector<Tile> load(std::size_t panel) {
    products_.prepare(list_, panel * step_, size(panel), &rows_);
    if (panel + 1 < count_) products_.prefetch(list_, (panel + 1) * step_, size(panel + 1));
    return rows_.tiles(products_.columns());
  }

 private:
  std::size_t size(std::size_t panel) const {
    return std::min(step_, list_.size() - panel * step_);
  }

  const BoundedProducts& products_;
  std::span<const ClipRow> list_;
  std::size_t step_;
  std::size_t count_;
  PreparedRows rows_;
};

}  // namespace

CandidateLists candidates_within(const BoundedProducts& products, std::span<const ClipRow> clips,
                                 std::size_t width, std::size_t panel_bytes) {
  CandidateLists lists(clips.size(), width);
  Comparison comparison(products, &lists, true, clips.size() * clips.size());
  Panels panels(products, clips, panel_bytes);
  Panels later(products, clips, panel_bytes);
  for (std::size_t i = 0; i < panels.count(); ++i) {
    const auto tiles = panels.load(i);
    comparison.run(pairs_within(tiles));
    for (std::size_t j = i + 1; j < later.count(); ++j) {
      comparison.run(pairs_across(tiles, later.load(j)));
    }
  }
  return lists;
}

CandidateLists candidates_of(const BoundedProducts& products, std::span<const ClipRow> queries,
                             std::span<const ClipRow> clips, std::size_t width,
                             std::size_t panel_bytes) {
  CandidateLists lists(queries.size(), width);
  Comparison comparison(products, &lists, false, queries.size() * clips.size());
  Panels panels(products, queries, panel_bytes);
  Panels others(products, clips, panel_bytes);
  for (std::size_t i = 0; i < panels.count(); ++i) {
    const auto tiles = panels.load(i);
    for (std::size_t j = 0; j < others.count(); ++j) {
      comparison.run(pairs_across(tiles, others.load(j)));
    }
  }
  return lists;
}

}  // namespace manyverbs::knn_internal
