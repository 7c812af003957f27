// SPDX-License-Identifier: MIT
//
// Lists the training clips whose neighbours disagree most with their label: the ones to check first
// when a data set is reviewed by hand.
//
//   disputed_clips kitchen
#include <algorithm>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include <manyverbs/manyverbs.h>

int main(int argc, char** argv) try {
  using namespace manyverbs;
  constexpr int kNeighbours = 15;
  constexpr std::size_t kShown = 10;
  if (argc != 2) throw Error("expected one argument: a data-set folder");

  const Dataset dataset = read_dataset(argv[1]);
  const std::vector<ClipRow> training = dataset.clips_of(Split::Train);
  const std::vector<ClassId> labels = dataset.labels_of(training);
  const Neighbours near =
      neighbours_within(open_features(dataset), training, kNeighbours, Metric::Euclidean);

  // Neighbours are rows of clips.csv, so votes() needs the labels of all clips.
  const std::vector<ClipRow> every_clip = first_rows(dataset.clips.size());
  const Matrix<int> counted =
      votes(near.clips, dataset.labels_of(every_clip), dataset.classes.size());

  std::vector<std::size_t> order(training.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return counted(a, labels[a]) < counted(b, labels[b]);
  });
  for (const std::size_t i : std::span(order).first(std::min(kShown, order.size()))) {
    const auto row = counted.row(i);
    const auto favourite = std::max_element(row.begin(), row.end());
    std::cout << dataset.clip(training[i]).name << ": labelled " << dataset.classes.name(labels[i])
              << " (" << row[labels[i]] << " of " << kNeighbours
              << " neighbours), the neighbours say "
              << dataset.classes.name(static_cast<ClassId>(favourite - row.begin())) << " ("
              << *favourite << ")\n";
  }
} catch (const std::exception& problem) {
  std::cerr << "disputed_clips: " << problem.what() << '\n';
  return 1;
}
