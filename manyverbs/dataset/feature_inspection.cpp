// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "manyverbs/dataset/internal/inspection.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

constexpr std::size_t kInspectedBytes = 16 << 20;

// Hashes a row; 0 and -0 are equal.
std::uint64_t hashed(std::uint64_t hash, std::span<const float> row) {
  for (const float value : row) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value + 0.0F)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

struct RowFacts {
  std::uint64_t hash = 0;
  bool finite = true;
  bool zero = true;
};

// Finds unusual rows and columns of one stream.
class StreamPass {
 public:
  StreamPass(const ArrayFile& file, const Dataset& dataset, int examples)
      : file_(file),
        dataset_(dataset),
        examples_(examples),
        least_(file.columns(), std::numeric_limits<float>::infinity()),
        most_(file.columns(), -std::numeric_limits<float>::infinity()),
        rows_per_block_(std::max<std::size_t>(
            1, kInspectedBytes / sizeof(float) / std::max<std::size_t>(1, file.columns()))) {
    const std::string name = file.path().filename().string();
    not_finite_ = {Severity::Problem, "not_finite_rows",
                   "rows with NaN or infinite numbers in " + name};
    zero_ = {Severity::Problem, "zero_rows", "rows with only zeros in " + name};
    constant_ = {Severity::Problem, "constant_columns", "constant columns in " + name};
  }

  void run(std::vector<RowFacts>* facts) {
    std::vector<float> block(rows_per_block_ * file_.columns());
    Progress progress("features", static_cast<std::int64_t>(file_.rows()));
    for (std::size_t begin = 0; begin < file_.rows(); begin += rows_per_block_) {
      stop_if_interrupted();
      const std::size_t count = std::min(rows_per_block_, file_.rows() - begin);
      read_rows(begin, count, block.data(), facts->data() + begin);
      spread_columns(count, block.data());
      progress.advance(static_cast<std::int64_t>(count));
    }
    for (std::size_t j = 0; j < file_.columns(); ++j) {
      if (least_[j] == most_[j]) {
        constant_.add(fmt::format("column {} is {}", j, least_[j]), examples_);
      }
    }
  }

  void add_to(std::vector<Finding>* findings) const {
    findings->insert(findings->end(), {not_finite_, zero_, constant_});
  }

 private:
  void read_rows(std::size_t begin, std::size_t count, float* block, RowFacts* facts) {
    const std::size_t width = file_.columns();
    std::vector<RowFacts> own(count);
    parallel_for(count, 64, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const std::span<float> row(block + i * width, width);
        file_.read_row(begin + i, row.data());
        own[i].finite =
            std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); });
        own[i].zero = std::all_of(row.begin(), row.end(), [](float x) { return x == 0; });
        facts[i].hash = hashed(facts[i].hash, row);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& clip = dataset_.clips[begin + i].name;
      if (!own[i].finite) not_finite_.add(fmt::format("{} (row {})", clip, begin + i), examples_);
      if (own[i].zero) zero_.add(fmt::format("{} (row {})", clip, begin + i), examples_);
      facts[i].finite = facts[i].finite && own[i].finite;
      facts[i].zero = facts[i].zero && own[i].zero;
    }
  }

  void spread_columns(std::size_t count, const float* block) {
    const std::size_t width = file_.columns();
    parallel_for(width, 64, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = from; j < to; ++j) {
          // Comparisons with NaN are false, so the other numbers of the column count.
          const float value = block[i * width + j];
          least_[j] = value < least_[j] ? value : least_[j];
          most_[j] = value > most_[j] ? value : most_[j];
        }
      }
    });
  }

  const ArrayFile& file_;
  const Dataset& dataset_;
  int examples_;
  std::vector<float> least_;
  std::vector<float> most_;
  std::size_t rows_per_block_;
  Finding not_finite_;
  Finding zero_;
  Finding constant_;
};

// Finds rows that are equal in all streams, by hash and then by comparison.
class DuplicateSearch {
 public:
  DuplicateSearch(const std::vector<ArrayFile>& files, const Dataset& dataset, int examples)
      : files_(files), dataset_(dataset), examples_(examples) {}

  void run(const std::vector<RowFacts>& facts) {
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(facts.size()); ++i) {
      if (facts[i].finite && !facts[i].zero) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return facts[a].hash < facts[b].hash; });
    std::vector<std::vector<int>> groups;
    for (auto begin = order.begin(); begin != order.end();) {
      const auto end = std::find_if(begin, order.end(),
                                    [&](int row) { return facts[row].hash != facts[*begin].hash; });
      if (end - begin > 1) split_into_groups({begin, end}, &groups);
      begin = end;
    }
    // In the order of clips.csv, so that examples do not depend on the hash.
    std::sort(groups.begin(), groups.end());
    for (const std::vector<int>& group : groups) note_group(group);
  }

  void add_to(std::vector<Finding>* findings) const {
    findings->insert(findings->end(), {leaked_, repeated_});
  }

 private:
  std::vector<float> row(int i) const {
    std::vector<float> values;
    for (const ArrayFile& file : files_) {
      values.resize(values.size() + file.columns());
      file.read_row(i, values.data() + values.size() - file.columns());
    }
    return values;
  }

  // Rows with the same hash; nearly always one group.
  void split_into_groups(std::vector<int> rows, std::vector<std::vector<int>>* groups) const {
    while (rows.size() > 1) {
      const std::vector<float> first = row(rows.front());
      const auto others =
          std::stable_partition(rows.begin(), rows.end(), [&](int i) { return row(i) == first; });
      if (others - rows.begin() > 1) groups->emplace_back(rows.begin(), others);
      rows.erase(rows.begin(), others);
    }
  }

  void note_group(const std::vector<int>& group) {
    const auto described = [&](int i) {
      return fmt::format("{} ({})", dataset_.clips[i].name, split_name(dataset_.clips[i].split));
    };
    const auto trained = std::find_if(
        group.begin(), group.end(), [&](int i) { return dataset_.clips[i].split == Split::Train; });
    for (const int i : group) {
      if (i != group.front()) {
        repeated_.add(fmt::format("{} = {}", described(group.front()), described(i)), examples_);
      }
      if (trained != group.end() && dataset_.clips[i].split == Split::Test) {
        leaked_.add(fmt::format("{} = {}", described(*trained), described(i)), examples_);
      }
    }
  }

  const std::vector<ArrayFile>& files_;
  const Dataset& dataset_;
  int examples_;
  Finding leaked_{Severity::Problem, "leaked_rows",
                  "test clips with the same features as a training clip (leakage)"};
  Finding repeated_{Severity::Problem, "duplicate_rows",
                    "clips with the same features as an earlier clip"};
};

}  // namespace

FeatureInspection inspect_features(const Dataset& dataset, const InspectionSettings& settings) {
  FeatureInspection result;
  Finding broken{Severity::Problem, "broken_features", "feature files that cannot be used"};
  std::vector<ArrayFile> files;
  for (const std::string& stream : feature_streams(dataset)) {
    try {
      ArrayFile file(dataset.folder / "features" / (stream + ".npy"));
      result.streams.push_back({stream, file.rows(), file.columns(), file.type()});
      check_features(file);
      if (file.rows() != dataset.clips.size()) {
        throw Error("{}: expected {} rows, one per clip in clips.csv, found {}",
                    file.path().string(), dataset.clips.size(), file.rows());
      }
      files.push_back(std::move(file));
    } catch (const Error& problem) {
      broken.add(problem.what(), settings.examples);
    }
  }
  result.findings.push_back(broken);
  std::vector<RowFacts> facts(dataset.clips.size());
  for (const ArrayFile& file : files) {
    StreamPass pass(file, dataset, settings.examples);
    pass.run(&facts);
    pass.add_to(&result.findings);
  }
  DuplicateSearch duplicates(files, dataset, settings.examples);
  if (!files.empty()) duplicates.run(facts);
  duplicates.add_to(&result.findings);
  return result;
}

}  // namespace manyverbs
