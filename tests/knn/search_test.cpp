// SPDX-License-Identifier: MIT
#include "manyverbs/knn/internal/search.h"

#include "manyverbs/knn/internal/bounded_products.h"
#include "manyverbs/knn/internal/exact_distance.h"
#include "tests/knn/brute_force.h"

namespace manyverbs::knn_internal {
namespace {

// One tile per panel, for any number of columns.
constexpr SearchSettings kSmallPanels = {.spare_candidates = 16, .panel_bytes = 1};

TEST(Search, FindsTheSameInManyPanelsAsInOne) {
  const Matrix<float> rows = random_rows(1700, 12);
  const FeatureTable table(rows);
  const auto clips = first_rows(1700);
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    expect_same(search_within(table, clips, 4, metric, kSmallPanels).neighbours,
                brute_neighbours(rows, clips, clips, 4, metric));
  }
}

TEST(Search, OfQueriesFindsTheSameInManyPanelsAsInOne) {
  const Matrix<float> rows = random_rows(1700, 12);
  const FeatureTable table(rows);
  const auto all = first_rows(1700);
  const std::vector<ClipRow> queries(all.begin(), all.begin() + 600);
  const std::vector<ClipRow> clips(all.begin() + 600, all.end());
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    expect_same(search_of(table, queries, clips, 4, metric, kSmallPanels).neighbours,
                brute_neighbours(rows, queries, clips, 4, metric));
  }
}

TEST(Search, ComparesAgainIfCandidatesAreNotSufficient) {
  const Matrix<float> rows = random_rows(900, 2);
  const FeatureTable table(rows);
  const auto clips = first_rows(900);
  const SearchSettings none_spare = {.spare_candidates = 0};
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    const SearchResult result = search_within(table, clips, 3, metric, none_spare);
    EXPECT_EQ(result.repeated_queries, 900U);
    expect_same(result.neighbours, brute_neighbours(rows, clips, clips, 3, metric));
  }
}

TEST(Search, ComputesFewExactDistancesIfRowsAreFarApart) {
  const FeatureTable table(random_rows(1000, 64, 100));
  const SearchResult result = search_within(table, first_rows(1000), 10, Metric::Euclidean);
  EXPECT_EQ(result.repeated_queries, 0U);
  EXPECT_LT(result.exact_distances, 11000U);
}

TEST(Search, OfIdenticalRowsStopsAtTheFirstOnes) {
  const FeatureTable table(Matrix<float>(2000, 8, 3.0F));
  const SearchResult result = search_within(table, first_rows(2000), 5, Metric::Euclidean);
  EXPECT_EQ(result.repeated_queries, 2000U);
  EXPECT_LE(result.exact_distances, 2000U * (21 + 5));
  for (int i = 0; i < 2000; ++i) {
    for (int j = 0; j < 5; ++j) {
      ASSERT_EQ(result.neighbours.clips(i, j), ClipRow(j < i ? j : j + 1));
      ASSERT_EQ(result.neighbours.distances(i, j), 0);
    }
  }
}

TEST(Search, UnderCosineOfZeroRowsStopsAtTheFirstClips) {
  Matrix<float> rows = random_rows(1500, 8);
  for (std::size_t i = 0; i < 1500; i += 2) std::fill(rows.row(i).begin(), rows.row(i).end(), 0);
  const auto clips = first_rows(1500);
  const FeatureTable table(rows);
  const SearchResult result = search_within(table, clips, 5, Metric::Cosine);
  expect_same(result.neighbours, brute_neighbours(rows, clips, clips, 5, Metric::Cosine));
  EXPECT_LE(result.exact_distances, 750U * (21 + 5) + 750U * 6);
}

TEST(BoundedProducts, NeverExceedTheExactDistance) {
  for (const double offset : {0.0, 3.0, 1000.0}) {
    for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
      Matrix<float> rows = random_rows(200, 300, offset);
      std::copy(rows.row(1).begin(), rows.row(1).end(), rows.row(2).begin());
      std::fill(rows.row(3).begin(), rows.row(3).end(), 0.0F);
      std::fill(rows.row(4).begin(), rows.row(4).end(), 0.0F);
      const FeatureTable table(rows);
      const auto clips = first_rows(200);
      const BoundedProducts products(table, clips, metric);
      PreparedRows prepared;
      products.prepare(clips, 0, clips.size(), &prepared);
      const Tile tile = prepared.tiles(300)[0];
      std::vector<float> out(200 * 200);
      products.multiply(tile, tile, out.data());
      ExactDistance distance(table, metric);
      for (int i = 0; i < 200; ++i) {
        distance.set_query(ClipRow(i));
        for (int j = 0; j < 200; ++j) {
          if (i == j) continue;
          const double bound =
              static_cast<double>(tile.floors[i]) + tile.floors[j] + out[i * 200 + j];
          ASSERT_LE(bound, distance.to(ClipRow(j))) << i << " " << j;
        }
      }
    }
  }
}

TEST(ExactDistance, SumsAsWorkedInTheHeader) {
  const float a[] = {1, 2};
  const float b[] = {3, 4};
  EXPECT_EQ(dot_product(a, b, 2), 11);
  EXPECT_EQ(squared_difference(a, b, 2), 8);
}

TEST(NearestList, KeepsTheNearestAndOfEqualsTheEarlier) {
  NearestList nearest(2);
  EXPECT_EQ(nearest.limit(), std::numeric_limits<double>::infinity());
  for (const auto& [distance, place] :
       {std::pair(2.0, 9), {1.0, 8}, {1.0, 7}, {1.0, 6}, {3.0, 1}}) {
    nearest.insert(distance, place);
  }
  ASSERT_EQ(nearest.entries().size(), 2U);
  EXPECT_EQ(nearest.entries()[0].place, 6);
  EXPECT_EQ(nearest.entries()[1].place, 7);
  EXPECT_EQ(nearest.limit(), 1);
}

}  // namespace
}  // namespace manyverbs::knn_internal
