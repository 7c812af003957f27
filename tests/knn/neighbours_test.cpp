// SPDX-License-Identifier: MIT
#include "manyverbs/knn/neighbours.h"

#include <limits>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/random.h"
#include "tests/clip_rows.h"
#include "tests/knn/brute_force.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Sets the number of threads for one scope.
class Threads {
 public:
  explicit Threads(int threads) : before_(num_threads()) { set_num_threads(threads); }
  ~Threads() { set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

template <typename T>
Matrix<T> matrix_of(const Json& rows) {
  Matrix<T> matrix(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) matrix(i, j) = rows[i][j].get<T>();
  }
  return matrix;
}

Matrix<float> column(const std::vector<float>& values) {
  return Matrix<float>(values.size(), 1, values);
}

TEST(Neighbours, EqualThoseOfScikitLearn) {
  const Json cases = read_json(MANYVERBS_TEST_FOLDER "/golden/neighbours.json");
  ASSERT_GE(cases.size(), 12U);
  for (const Json& one : cases) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const Matrix<float> rows = matrix_of<float>(one["rows"]);
    const FeatureTable table(rows);
    const auto queries = one["queries"].get<std::vector<ClipRow>>();
    const Metric metric = find_metric(one["metric"].get<std::string>());
    const int k = one["k"].get<int>();
    std::vector<ClipRow> clips = first_rows(rows.rows());
    std::erase_if(clips, [&](ClipRow clip) {
      return std::find(queries.begin(), queries.end(), clip) != queries.end();
    });
    const Neighbours right{matrix_of<ClipRow>(one["clips"]), matrix_of<float>(one["distances"])};
    expect_same(queries.empty() ? neighbours_within(table, clips, k, metric)
                                : neighbours_of(table, queries, clips, k, metric),
                right);
  }
}

TEST(Neighbours, OfFivePointsOnALineAsWorkedInTheHeader) {
  const FeatureTable table(column({0, 1, 3, 7, 8}));
  const std::vector<ClipRow> clips = first_rows(5);
  const Neighbours found = neighbours_within(table, clips, 2, Metric::Euclidean);
  EXPECT_EQ(found.clips, clip_rows(5, 2, {1, 2, 0, 2, 1, 0, 4, 2, 3, 2}));
  EXPECT_EQ(found.distances, Matrix<float>(5, 2, {1, 3, 1, 2, 2, 3, 1, 4, 1, 5}));
}

TEST(Neighbours, OfQueriesOnALineAsWorkedInTheHeader) {
  const FeatureTable table(column({0, 1, 3, 7, 8}));
  const std::vector<ClipRow> queries = clip_rows({2});
  const std::vector<ClipRow> clips = clip_rows({0, 3, 4});
  const Neighbours found = neighbours_of(table, queries, clips, 2, Metric::Euclidean);
  EXPECT_EQ(found.clips, clip_rows(1, 2, {0, 3}));
  EXPECT_EQ(found.distances, Matrix<float>(1, 2, {3, 4}));
}

TEST(Neighbours, AClipIsNeverItsOwnNeighbourButADuplicateMayBe) {
  const FeatureTable table(column({5, 5, 5, 9}));
  const Neighbours found = neighbours_within(table, first_rows(4), 2, Metric::Euclidean);
  EXPECT_EQ(found.clips, clip_rows(4, 2, {1, 2, 0, 2, 0, 1, 0, 1}));
}

TEST(Neighbours, AreRowsOfTheTableNotIndicesOfTheList) {
  const FeatureTable table(column({100, 0, 100, 1, 100, 3}));
  const std::vector<ClipRow> clips = clip_rows({1, 3, 5});
  const Neighbours found = neighbours_within(table, clips, 1, Metric::Euclidean);
  EXPECT_EQ(found.clips, clip_rows(3, 1, {3, 1, 3}));
}

TEST(Neighbours, OfEquallyNearClipsTheEarlierInTheListComesFirst) {
  const FeatureTable table(column({0, 1, -1, 1}));
  const std::vector<ClipRow> queries = clip_rows({0});
  const std::vector<ClipRow> clips = clip_rows({3, 2, 1});
  EXPECT_EQ(neighbours_of(table, queries, clips, 3, Metric::Euclidean).clips,
            clip_rows(1, 3, {3, 2, 1}));
}

TEST(Neighbours, CosineDistanceIsOneForRowsOfZeros) {
  const FeatureTable table(Matrix<float>(3, 2, {1, 1, 0, 0, -1, -1}));
  const Neighbours found = neighbours_within(table, first_rows(3), 2, Metric::Cosine);
  EXPECT_EQ(found.clips, clip_rows(3, 2, {1, 2, 0, 2, 1, 0}));
  EXPECT_EQ(found.distances, Matrix<float>(3, 2, {1, 2, 1, 1, 1, 2}));
}

TEST(Neighbours, CosineDistanceOfADuplicateIsZero) {
  Matrix<float> rows = random_rows(20, 131);
  std::copy(rows.row(3).begin(), rows.row(3).end(), rows.row(17).begin());
  const Neighbours found = neighbours_within(FeatureTable(rows), first_rows(20), 1, Metric::Cosine);
  EXPECT_EQ(found.clips(3, 0), ClipRow(17));
  EXPECT_EQ(found.distances(3, 0), 0);
}

TEST(Neighbours, EqualAComparisonOfAllPairsInDouble) {
  for (const std::size_t columns : {1, 3, 17, 257, 515}) {
    for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
      if (columns == 1 && metric == Metric::Cosine) continue;  // all distances are 0 or 2
      SCOPED_TRACE(columns);
      const Matrix<float> rows = random_rows(300, columns);
      const auto clips = first_rows(300);
      expect_same(neighbours_within(FeatureTable(rows), clips, 7, metric),
                  brute_neighbours(rows, clips, clips, 7, metric));
    }
  }
}

TEST(Neighbours, AreExactWhereFloatProductsAreInaccurate) {
  for (const double offset : {1000.0, -30000.0}) {
    const Matrix<float> rows = random_rows(400, 65, offset);
    const auto clips = first_rows(400);
    expect_same(neighbours_within(FeatureTable(rows), clips, 9, Metric::Euclidean),
                brute_neighbours(rows, clips, clips, 9, Metric::Euclidean));
  }
}

TEST(Neighbours, AreExactWhenHalfOfTheRowsLieFarAway) {
  Matrix<float> rows = random_rows(300, 33);
  for (std::size_t i = 0; i < 300; i += 2) {
    for (float& value : rows.row(i)) value += 4096;
  }
  const auto clips = first_rows(300);
  expect_same(neighbours_within(FeatureTable(rows), clips, 5, Metric::Euclidean),
              brute_neighbours(rows, clips, clips, 5, Metric::Euclidean));
}

TEST(Neighbours, AreExactForTinyAndForHugeNumbers) {
  for (const float scale : {1e-30F, 1e-20F, 1e15F}) {
    for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
      SCOPED_TRACE(scale);
      Matrix<float> rows = random_rows(100, 9);
      for (std::size_t i = 0; i < 100; ++i) {
        for (float& value : rows.row(i)) value *= scale;
      }
      const auto clips = first_rows(100);
      EXPECT_EQ(neighbours_within(FeatureTable(rows), clips, 5, metric).clips,
                brute_neighbours(rows, clips, clips, 5, metric).clips);
    }
  }
}

TEST(Neighbours, DoNotDependOnTheNumberOfThreads) {
  Matrix<float> rows = random_rows(1300, 19);
  for (std::size_t i = 0; i < 1300; i += 3) {
    for (float& value : rows.row(i)) value = std::round(value);
  }
  const FeatureTable table(rows);
  const auto clips = first_rows(1300);
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    Neighbours one;
    Neighbours two;
    {
      const Threads threads(1);
      one = neighbours_within(table, clips, 15, metric);
    }
    {
      const Threads threads(2);
      two = neighbours_within(table, clips, 15, metric);
    }
    EXPECT_EQ(one.clips, two.clips);
    EXPECT_EQ(one.distances, two.distances);
  }
}

TEST(Neighbours, OfConcatenatedHalfPrecisionFilesAreExact) {
  const ScratchFolder scratch;
  Random random(3);
  std::vector<ArrayFile> streams;
  Matrix<float> rows(200, 24);
  for (int stream = 0; stream < 2; ++stream) {
    ArrayWriter writer(scratch / fmt::format("{}.npy", stream), NumberType::Float16, 200, 12);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < 12; ++j) {
        // From 1/8 to 2, with either sign.
        const auto size = static_cast<std::uint16_t>(0x3000 + random.below(0x1000));
        const Half half{static_cast<std::uint16_t>(size | (random.below(2) << 15))};
        rows(i, stream * 12 + j) = to_float(half);
        writer.write(&half, 1);
      }
    }
    writer.commit();
    streams.emplace_back(scratch / fmt::format("{}.npy", stream));
  }
  const auto clips = first_rows(200);
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    std::vector<ArrayFile> again;
    for (const ArrayFile& stream : streams) again.emplace_back(stream.path());
    expect_same(neighbours_within(FeatureTable(std::move(again)), clips, 6, metric),
                brute_neighbours(rows, clips, clips, 6, metric));
  }
}

TEST(Neighbours, TheFirstColumnsForManyAreTheResultForFew) {
  const FeatureTable table(random_rows(150, 5));
  const auto clips = first_rows(150);
  const Neighbours many = neighbours_within(table, clips, 149, Metric::Euclidean);
  for (const int k : {1, 2, 15, 100}) {
    const Neighbours few = neighbours_within(table, clips, k, Metric::Euclidean);
    for (std::size_t i = 0; i < 150; ++i) {
      for (int j = 0; j < k; ++j) {
        ASSERT_EQ(few.clips(i, j), many.clips(i, j));
        ASSERT_EQ(few.distances(i, j), many.distances(i, j));
      }
    }
  }
}

TEST(Neighbours, OfNoQueriesAreNone) {
  const FeatureTable table(column({0, 1, 2}));
  const Neighbours found =
      neighbours_of(table, std::vector<ClipRow>{}, first_rows(3), 2, Metric::Euclidean);
  EXPECT_EQ(found.clips.rows(), 0U);
}

TEST(Neighbours, MoreThanTheNumberOfClipsIsAnError) {
  const ScratchFolder scratch;
  const FeatureTable table(column({0, 1, 2, 3}));
  const std::vector<ClipRow> queries = clip_rows({3});
  const auto within = [&](int k, int clips) {
    return error_of(scratch,
                    [&] { neighbours_within(table, first_rows(clips), k, Metric::Euclidean); });
  };
  EXPECT_EQ(within(4, 4), "invalid number of neighbours 4; expected 1 to 3 for 4 training clips");
  EXPECT_EQ(within(0, 4), "invalid number of neighbours 0; expected 1 to 3 for 4 training clips");
  EXPECT_EQ(within(1, 1), "not enough training clips for 1 neighbours: found 1");
  EXPECT_EQ(within(3, 4), "");
  EXPECT_EQ(
      error_of(scratch, [&] { neighbours_of(table, queries, first_rows(3), 4, Metric::Cosine); }),
      "invalid number of neighbours 4; expected 1 to 3 for 3 training clips");
}

TEST(Neighbours, ANumberThatIsNotFiniteIsAnErrorWithTheRow) {
  const ScratchFolder scratch;
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      Matrix<float> rows = random_rows(10, 20);
      rows(7, 3) = bad;
      const FeatureTable table(rows);
      EXPECT_EQ(error_of(scratch, [&] { neighbours_within(table, first_rows(10), 2, metric); }),
                "features: row 7, column 3: expected a finite number below 1e16");
    }
  }
}

TEST(Neighbours, ANumberThatIsTooLargeIsAnErrorWithTheFile) {
  const ScratchFolder scratch;
  write_array(scratch / "rgb.npy", random_rows(10, 20));
  Matrix<float> large = random_rows(10, 20);
  large(7, 3) = 1e30F;
  write_array(scratch / "flow.npy", large);
  std::vector<ArrayFile> files;
  files.emplace_back(scratch / "rgb.npy");
  files.emplace_back(scratch / "flow.npy");
  const FeatureTable table(std::move(files));
  EXPECT_EQ(
      error_of(scratch, [&] { neighbours_within(table, first_rows(10), 2, Metric::Euclidean); }),
      "flow.npy: row 7, column 3: expected a finite number below 1e16");
}

TEST(Neighbours, MetricsHaveNames) {
  const ScratchFolder scratch;
  for (const Metric metric : {Metric::Euclidean, Metric::Cosine}) {
    EXPECT_EQ(find_metric(metric_name(metric)), metric);
  }
  EXPECT_EQ(error_of(scratch, [] { find_metric("cosin"); }),
            "unknown metric 'cosin', did you mean 'cosine'?");
  EXPECT_EQ(error_of(scratch, [] { find_metric("x"); }),
            "unknown metric 'x'; valid values: euclidean, cosine");
}

}  // namespace
}  // namespace manyverbs
