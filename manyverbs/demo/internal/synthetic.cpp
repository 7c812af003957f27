// SPDX-License-Identifier: MIT
#include "manyverbs/demo/internal/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

constexpr int kMotions = 8;    // dimensions of the motion space
constexpr int kNuisances = 8;  // dimensions of nuisance variables
constexpr int kWidth = 64;     // hidden width of the random network
constexpr int kScenes = 60;    // recurring activities

// Verbs of one line are related, from wide to narrow.
constexpr std::array kVerbFamilies = std::to_array<std::array<std::string_view, 4>>({
    {"cut", "slice", "chop", "dice"},
    {"remove", "peel", "scrape", "strip"},
    {"mix", "stir", "whisk", "beat"},
    {"wash", "rinse", "scrub", "wipe"},
    {"put", "place", "insert", "stack"},
    {"take", "lift", "grab", "pull"},
    {"pour", "drain", "drizzle", "fill"},
    {"open", "unwrap", "uncover", "unscrew"},
    {"press", "squeeze", "knead", "flatten"},
    {"turn", "flip", "rotate", "shake"},
});

using MotionVector = std::array<double, kMotions>;

struct VerbRegion {
  MotionVector centre;
  double radius;
  double usual;  // relative frequency of the word
};

MotionVector random_motion(Random& random, double spread) {
  MotionVector motion;
  for (double& value : motion) value = spread * random.normal();
  return motion;
}

MotionVector moved(const MotionVector& from, const MotionVector& by) {
  MotionVector result;
  for (int i = 0; i < kMotions; ++i) result[i] = from[i] + by[i];
  return result;
}

double distance(const MotionVector& a, const MotionVector& b) {
  double sum = 0;
  for (int i = 0; i < kMotions; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

std::vector<VerbRegion> make_verbs(Random& random) {
  std::vector<VerbRegion> verbs;
  for (std::size_t family = 0; family < kVerbFamilies.size(); ++family) {
    const MotionVector centre = random_motion(random, 1.0);
    for (std::size_t i = 0; i < kVerbFamilies[family].size(); ++i) {
      const double narrow = static_cast<double>(i);
      verbs.push_back({moved(centre, random_motion(random, i == 0 ? 0.0 : 0.7)),
                       2.6 - 0.15 * narrow + 0.3 * random.uniform(), 1.0 / (1.0 + 0.5 * narrow)});
    }
  }
  return verbs;
}

// Every verb whose ball contains the motion; the nearest relative to its radius if there is none.
std::vector<ClassId> verbs_of(const MotionVector& motion, const std::vector<VerbRegion>& verbs) {
  std::vector<ClassId> chosen;
  ClassId nearest = 0;
  double nearest_ratio = INFINITY;
  for (ClassId v = 0; v < static_cast<ClassId>(verbs.size()); ++v) {
    const double ratio = distance(motion, verbs[v].centre) / verbs[v].radius;
    if (ratio < 1) chosen.push_back(v);
    if (ratio < nearest_ratio) {
      nearest_ratio = ratio;
      nearest = v;
    }
  }
  if (chosen.empty()) chosen.push_back(nearest);
  return chosen;
}

// The single label: typical and common words more often.
ClassId draw_label(const MotionVector& motion, const std::vector<ClassId>& truth,
                   const std::vector<VerbRegion>& verbs, Random& random) {
  std::vector<double> weights;
  double total = 0;
  for (const ClassId v : truth) {
    const double ratio = distance(motion, verbs[v].centre) / verbs[v].radius;
    weights.push_back(verbs[v].usual * std::exp(-ratio * ratio));
    total += weights.back();
  }
  double left = random.uniform() * total;
  for (std::size_t i = 0; i + 1 < truth.size(); ++i) {
    left -= weights[i];
    if (left < 0) return truth[i];
  }
  return truth.back();
}

// The features of a clip: two random layers over motion and nuisance variables, plus noise.
class Camera {
 public:
  Camera(int columns, Random& random)
      : first_(kWidth, kMotions + kNuisances), second_(columns, kWidth) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (float& weight : first_.row(i)) weight = static_cast<float>(random.normal() / 4.0);
    }
    for (int i = 0; i < columns; ++i) {
      for (float& weight : second_.row(i)) weight = static_cast<float>(random.normal() / 8.0);
    }
  }

  void show(const MotionVector& motion, const std::array<double, kNuisances>& nuisance,
            Random& random, std::span<float> features) const {
    std::array<float, kWidth> hidden;
    for (std::size_t i = 0; i < kWidth; ++i) {
      double sum = 0;
      for (int j = 0; j < kMotions; ++j) sum += first_(i, j) * motion[j];
      for (int j = 0; j < kNuisances; ++j) sum += first_(i, kMotions + j) * nuisance[j];
      hidden[i] = static_cast<float>(std::tanh(sum));
    }
    for (std::size_t i = 0; i < features.size(); ++i) {
      float sum = 0.1F * static_cast<float>(random.normal());
      for (std::size_t j = 0; j < kWidth; ++j) sum += second_(i, j) * hidden[j];
      features[i] = std::max(0.0F, sum);
    }
  }

 private:
  Matrix<float> first_;
  Matrix<float> second_;
};

Vocabulary verb_names() {
  std::vector<std::string> names;
  for (const auto& family : kVerbFamilies) names.insert(names.end(), family.begin(), family.end());
  return Vocabulary(names);
}

Split split_at(int i, const SyntheticSettings& settings) {
  if (i < settings.train) return Split::Train;
  return i < settings.train + settings.val ? Split::Val : Split::Test;
}

}  // namespace

SyntheticDataset make_synthetic(const SyntheticSettings& settings) {
  Random random(settings.seed);
  const int clips = settings.train + settings.val + settings.test;
  SyntheticDataset made{{{}, "synthetic kitchen", verb_names(), {}},
                        Matrix<float>(clips, settings.feature_columns),
                        Matrix<float>(clips, settings.feature_columns)};
  const std::vector<VerbRegion> verbs = make_verbs(random);
  const Camera rgb(settings.feature_columns, random);
  const Camera flow(settings.feature_columns, random);
  std::vector<MotionVector> scenes;
  for (int i = 0; i < kScenes; ++i) {
    scenes.push_back(moved(verbs[random.below(verbs.size())].centre, random_motion(random, 0.6)));
  }
  for (int i = 0; i < clips; ++i) {
    stop_if_interrupted();
    // Scenes with low numbers are frequent, the others rare: a long-tailed distribution.
    const auto scene = static_cast<std::size_t>(kScenes * std::pow(random.uniform(), 1.5));
    const MotionVector motion = moved(scenes[scene], random_motion(random, 0.35));
    std::array<double, kNuisances> nuisance;
    for (double& value : nuisance) value = random.normal();
    Clip clip;
    clip.name = fmt::format("clip_{:05}", i);
    clip.split = split_at(i, settings);
    clip.truth = verbs_of(motion, verbs);
    if (clip.split == Split::Test) {
      Random of_clip(settings.seed, 1 + i);  // does not change the sequence of `random`
      clip.labels = clip.truth;
      clip.original = draw_label(motion, clip.truth, verbs, of_clip);
    } else {
      clip.labels = {draw_label(motion, clip.truth, verbs, random)};
    }
    made.dataset.clips.push_back(std::move(clip));
    rgb.show(motion, nuisance, random, made.rgb.row(i));
    flow.show(motion, nuisance, random, made.flow.row(i));
  }
  return made;
}

void write_synthetic(const std::filesystem::path& folder, const SyntheticDataset& made) {
  FolderWriter writer(folder);
  write_dataset(writer.path(), made.dataset);
  std::filesystem::create_directories(writer.path() / "features");
  write_array(writer.path() / "features" / "rgb.npy", made.rgb);
  write_array(writer.path() / "features" / "flow.npy", made.flow);
  writer.commit();
}

}  // namespace manyverbs
