// SPDX-License-Identifier: MIT
//
// Exact neighbours within one list of clips: manyverbs and the flat index of FAISS, with the same
// features and threads. FAISS returns a clip as its own neighbour, so it searches for one more.
//
//   neighbours_bench [clips columns k]
//   neighbours_bench --file features.npy [k]

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <faiss/IndexFlat.h>
#include <fmt/format.h>

#include "manyverbs/dataset/feature_table.h"
#include "manyverbs/knn/internal/search.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace {

using namespace manyverbs;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Like the outputs of a network after its last ReLU: 200 kinds of clips, about half of the values
// are 0.
Matrix<float> relu_features(std::size_t clips, std::size_t columns) {
  constexpr std::size_t kKinds = 200;
  Matrix<float> features(clips, columns);
  parallel_for(clips, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Random centre(1, i % kKinds);
      Random noise(2, i);
      for (float& value : features.row(i)) {
        const double sum = 2 * centre.uniform() - 1 + 1.5 * (noise.uniform() - noise.uniform());
        value = static_cast<float>(std::max(0.0, sum));
      }
    }
  });
  return features;
}

double faiss_seconds(const Matrix<float>& features, int k) {
  faiss::IndexFlatL2 index(static_cast<faiss::Index::idx_t>(features.columns()));
  const auto count = static_cast<faiss::Index::idx_t>(features.rows());
  index.add(count, features.data());
  std::vector<float> distances(features.rows() * (k + 1));
  std::vector<faiss::Index::idx_t> clips(distances.size());
  return seconds_of(
      [&] { index.search(count, features.data(), k + 1, distances.data(), clips.data()); });
}

void our_seconds(const FeatureTable& table, int k, Metric metric) {
  const std::vector<ClipRow> clips = first_rows(table.rows());
  knn_internal::SearchResult result;
  const double seconds =
      seconds_of([&] { result = knn_internal::search_within(table, clips, k, metric); });
  fmt::print("neighbours-{} {:.3f} s\n", metric_name(metric), seconds);
  fmt::print("{:.2f} exact distances per clip, {} clips compared again\n",
             static_cast<double>(result.exact_distances) / static_cast<double>(clips.size()),
             result.repeated_queries);
}

int argument(int count, char** values, int i, int otherwise) {
  return i < count ? std::atoi(values[i]) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  Progress::silence();
  set_num_threads(num_threads());  // FAISS uses OpenMP
  const bool from_file = count > 2 && std::string(values[1]) == "--file";
  Matrix<float> features;
  if (from_file) {
    const ArrayFile file(values[2]);
    features = Matrix<float>(file.rows(), file.columns());
    for (std::size_t i = 0; i < file.rows(); ++i) file.read_row(i, features.row(i).data());
  } else {
    features = relu_features(argument(count, values, 1, 16384), argument(count, values, 2, 4096));
  }
  const int k = argument(count, values, 3, 15);
  std::vector<ArrayFile> streams;
  if (from_file) streams.emplace_back(values[2]);
  const FeatureTable table = from_file ? FeatureTable(std::move(streams)) : FeatureTable(features);
  fmt::print("{} clips x {} columns, {} neighbours, {} threads\n", features.rows(),
             features.columns(), k, num_threads());
  fmt::print("neighbours-faiss {:.3f} s\n", faiss_seconds(features, k));
  our_seconds(table, k, Metric::Euclidean);
  our_seconds(table, k, Metric::Cosine);
  return 0;
}
