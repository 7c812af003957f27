// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/published.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/ranges.h>

#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

// All values below are in percent, as in the paper.

constexpr std::array<std::string_view, 5> kMetrics = {"top_set", "top1", "iou", "f1",
                                                      "map_interpolated"};

struct Row {
  std::string_view key;
  std::array<PublishedValue, kMetrics.size()> values;
};

// Table 1, then Table 2 (class-level).
constexpr Row kEpic[] = {
    {"an", {{{43.7, 0.5}, {51.0, 0.4}, {11.2, 0.4}, {15.0, 0.6}, {22.8, 1.8}}}},
    {"wan", {{{44.8, 0.3}, {52.5, 0.6}, {15.2, 5.0}, {24.6, 6.6}, {26.3, 1.3}}}},
    {"ls", {{{43.7, 0.9}, {51.8, 0.7}, {9.6, 0.4}, {12.9, 0.6}, {24.4, 1.5}}}},
    {"n-ls", {{{43.4, 0.6}, {50.7, 0.4}, {11.0, 0.4}, {14.8, 0.5}, {22.1, 0.8}}}},
    {"focal", {{{43.3, 0.6}, {51.5, 0.3}, {5.7, 0.2}, {7.8, 0.2}, {23.9, 0.6}}}},
    {"em", {{{44.7, 0.4}, {52.9, 0.3}, {4.1, 0.0}, {7.8, 0.0}, {25.1, 1.0}}}},
    {"mask", {{{46.6, 0.2}, {55.2, 0.4}, {27.8, 0.4}, {36.9, 0.4}, {25.9, 0.8}}}},
    {"p+s", {{{46.9, 0.1}, {56.0, 0.6}, {33.5, 0.2}, {44.9, 0.3}, {25.8, 0.8}}}},
    {"mask-class", {{{37.8, 1.3}, {48.4, 1.0}, {18.1, 0.4}, {23.7, 0.4}, {21.7, 0.9}}}},
    {"p+s-class", {{{23.0, 0.4}, {28.0, 0.5}, {12.4, 0.4}, {18.0, 0.6}, {20.8, 1.3}}}},
};

// Table 1, then Table 2 (ideal).
constexpr Row kHmdb[] = {
    {"an", {{{32.0, 1.6}, {38.5, 2.0}, {18.9, 1.6}, {24.8, 1.6}, {20.6, 3.8}}}},
    {"wan", {{{36.8, 0.7}, {40.7, 0.6}, {4.1, 0.1}, {7.9, 0.1}, {32.0, 1.4}}}},
    {"ls", {{{32.4, 2.3}, {38.8, 1.8}, {19.3, 2.3}, {24.9, 2.3}, {19.7, 3.8}}}},
    {"n-ls", {{{32.2, 1.3}, {38.8, 1.7}, {19.3, 1.7}, {25.3, 1.8}, {20.1, 3.7}}}},
    {"focal", {{{31.6, 1.9}, {38.0, 2.0}, {13.0, 0.8}, {17.6, 0.7}, {14.8, 3.8}}}},
    {"em", {{{31.9, 0.6}, {37.4, 0.9}, {3.2, 0.0}, {6.2, 0.1}, {18.6, 3.1}}}},
    {"mask", {{{41.8, 1.1}, {43.3, 0.9}, {30.8, 2.5}, {36.3, 2.7}, {40.3, 2.2}}}},
    {"p+s", {{{41.9, 0.9}, {43.4, 0.5}, {29.9, 2.2}, {35.9, 2.0}, {40.7, 2.0}}}},
    {"mask-ideal", {{{42.6, 2.2}, {43.8, 2.3}, {30.4, 2.3}, {34.2, 2.4}, {37.4, 3.6}}}},
    {"p+s-ideal", {{{43.2, 1.8}, {44.3, 2.1}, {31.4, 2.5}, {35.9, 2.1}, {39.1, 3.1}}}},
};

// The supplementary table of end-to-end training.
constexpr Row kHmdbEndToEnd[] = {
    {"an", {{{46.7, 1.5}, {49.5, 1.7}, {11.5, 0.8}, {13.7, 1.1}, {47.8, 1.2}}}},
    {"wan", {{{38.2, 2.4}, {40.9, 2.7}, {13.7, 0.9}, {23.0, 1.3}, {37.4, 2.2}}}},
    {"ls", {{{47.8, 0.8}, {51.0, 0.5}, {9.5, 1.2}, {11.4, 1.5}, {49.8, 0.8}}}},
    {"n-ls", {{{48.6, 1.3}, {51.1, 1.2}, {12.0, 2.2}, {14.2, 2.8}, {50.0, 2.1}}}},
    {"em", {{{47.7, 1.7}, {48.5, 1.7}, {3.4, 0.1}, {6.5, 0.1}, {49.6, 2.8}}}},
    {"mask", {{{50.4, 0.1}, {53.2, 0.2}, {25.6, 1.8}, {27.9, 2.0}, {51.9, 1.2}}}},
    {"p+s", {{{50.5, 0.3}, {51.8, 0.3}, {30.9, 2.3}, {33.4, 2.6}, {52.4, 1.3}}}},
    {"mask-ideal", {{{53.4, 0.9}, {54.7, 1.5}, {32.5, 0.8}, {34.3, 0.9}, {55.4, 1.1}}}},
    {"p+s-ideal", {{{57.2, 0.6}, {57.3, 0.8}, {41.7, 2.1}, {42.7, 1.9}, {59.9, 1.3}}}},
};

// The supplementary table of K and tau on EPIC-Kitchens-100-SPMV: F1.
constexpr std::array<int, 5> kSweepK = {3, 5, 10, 15, 20};
struct SweepRow {
  std::string_view loss;
  double tau;
  std::array<double, kSweepK.size()> f1;
};
// clang-format off
constexpr SweepRow kEpicSweep[] = {
    {"mask", 0.1, {27.2, 30.5, 31.0, 36.4, 36.2}},
    {"mask", 0.2, {27.2, 23.8, 26.3, 27.5, 28.6}},
    {"mask", 0.3, {27.2, 23.8, 23.9, 25.8, 25.1}},
    {"p+s", 0.1, {37.9, 42.7, 41.6, 44.5, 43.7}},
    {"p+s", 0.2, {37.9, 30.5, 34.3, 34.7, 37.6}},
    {"p+s", 0.3, {37.9, 30.5, 29.7, 33.5, 31.9}},
};
// clang-format on

struct Publication {
  std::string_view name;
  std::string_view source;
  std::span<const Row> rows;
  std::span<const SweepRow> sweep;
  RunKind from = RunKind::Features;
};
constexpr Publication kPublications[] = {
    {"epic", "the paper, EPIC-Kitchens-100-SPMV", kEpic, kEpicSweep},
    {"hmdb", "the paper, Confusing-HMDB-102", kHmdb, {}},
    {"hmdb-end-to-end",
     "the paper, Confusing-HMDB-102 end to end",
     kHmdbEndToEnd,
     {},
     RunKind::Clips},
};

const Publication& find_publication(std::string_view name) {
  for (const Publication& publication : kPublications) {
    if (publication.name == name) return publication;
  }
  const std::vector<std::string> names = published_names();
  throw Error("unknown published values '{}'{}", name, did_you_mean_or_list(name, names));
}

}  // namespace

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const Publication& publication : kPublications) names.emplace_back(publication.name);
  return names;
}

std::vector<std::string> published_names(ExperimentKind kind, RunKind from) {
  std::vector<std::string> names;
  for (const Publication& publication : kPublications) {
    const bool has_table = kind != ExperimentKind::Sweep || !publication.sweep.empty();
    if (publication.from == from && has_table) names.emplace_back(publication.name);
  }
  return names;
}

void require_published(std::string_view name, ExperimentKind kind, RunKind from) {
  if (name.empty()) return;
  const std::vector<std::string> valid = published_names(kind, from);
  if (std::find(valid.begin(), valid.end(), name) != valid.end()) return;
  const Publication& found = find_publication(name);
  const bool other_runs = found.from != from;
  throw Error("the published values '{}' are {}; valid values for {}{}: {}", name,
              !other_runs                    ? "not those of a sweep"
              : found.from == RunKind::Clips ? "those of 'manyverbs compare --from clips'"
                                             : "those of runs on features",
              kind_name(kind), from == RunKind::Clips ? " --from clips" : "",
              fmt::join(valid, ", "));
}

std::string published_source(std::string_view name) {
  return std::string(find_publication(name).source);
}

std::optional<PublishedValue> published_value(std::string_view name, std::string_view row,
                                              std::string_view metric) {
  const Publication& publication = find_publication(name);
  const auto* column = std::find(kMetrics.begin(), kMetrics.end(), metric);
  if (column == kMetrics.end()) return std::nullopt;
  for (const Row& entry : publication.rows) {
    if (entry.key != row) continue;
    const PublishedValue& percent = entry.values[column - kMetrics.begin()];
    return PublishedValue{percent.mean / 100, percent.deviation / 100};
  }
  for (const SweepRow& entry : publication.sweep) {
    for (std::size_t i = 0; i < kSweepK.size(); ++i) {
      const std::string key = fmt::format("{}-k{}-tau{}", entry.loss, kSweepK[i], entry.tau);
      if (key == row && metric == "f1") return PublishedValue{entry.f1[i] / 100, NAN};
    }
  }
  return std::nullopt;
}

}  // namespace manyverbs
