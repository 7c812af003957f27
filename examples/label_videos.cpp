// SPDX-License-Identifier: MIT
//
// Prints the labels of videos, with a run of `manyverbs train` or `finetune` or with a bundle of
// `manyverbs export`. A run of `train` also needs the weights of its backbones, which a bundle has.
//
//   label_videos verbs clip.mp4 …
#include <filesystem>
#include <iostream>
#include <vector>

#include <manyverbs/manyverbs.h>

int main(int argc, char** argv) try {
  using namespace manyverbs;
  if (argc < 3) throw Error("expected a model and at least one video");
  const Model model = Model::open(argv[1]);
  const std::vector<std::filesystem::path> videos(argv + 2, argv + argc);
  const std::vector<Prediction> predictions = model.predict(videos);
  for (std::size_t i = 0; i < videos.size(); ++i) {
    std::cout << videos[i].string() << ": ";
    if (predictions[i].labels.empty()) std::cout << "perhaps " << predictions[i].best.name;
    for (const PredictedLabel& label : predictions[i].labels) {
      std::cout << label.name << " (" << label.probability << ") ";
    }
    std::cout << '\n';
  }
} catch (const std::exception& problem) {
  std::cerr << "label_videos: " << problem.what() << '\n';
  return 1;
}
