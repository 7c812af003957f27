// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/experiment.h"
#include "tests/protocols/kitchen.h"

namespace manyverbs {
namespace {

std::vector<std::string> keys_of(const Experiment& plan) {
  std::vector<std::string> keys;
  for (const ExperimentRow& row : plan.rows) keys.push_back(row.key);
  return keys;
}

std::vector<std::string> names_of(const Experiment& plan) {
  std::vector<std::string> names;
  for (const PlannedRun& run : plan.runs) names.push_back(run.name);
  return names;
}

using Words = std::vector<std::string>;

TEST(PlanCompare, HasEachLossWithEachSeed) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  settings.seeds = 2;
  settings.run.seed = 7;
  const Experiment plan = plan_compare(settings, {"an", "p+s"});
  EXPECT_EQ(keys_of(plan), (Words{"an", "p+s"}));
  EXPECT_EQ(plan.rows[1].title, "P+S");
  EXPECT_FALSE(plan.rows[0].pseudo_labelled);
  EXPECT_TRUE(plan.rows[1].pseudo_labelled);
  EXPECT_EQ(names_of(plan), (Words{"an-7", "an-8", "p+s-7", "p+s-8"}));
  EXPECT_EQ(plan.runs[3].settings.loss, "p+s");
  EXPECT_EQ(plan.runs[3].settings.seed, 8);
  EXPECT_FALSE(plan.runs[0].pseudo_labels.has_value());
  EXPECT_EQ(plan.runs[3].settings.features.pseudo_labels, "features-euclidean-k15-tau0.1");
  EXPECT_EQ(plan.runs[3].pseudo_labels->name, "features-euclidean-k15-tau0.1");
}

TEST(PlanCompare, PseudoLabelsOfOtherFeaturesOrSeedsHaveOtherNames) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  const auto name = [&] {
    return plan_compare(settings, {"mask"}).runs[0].settings.features.pseudo_labels;
  };
  SpaceSettings& space = settings.pseudo_labels.neighbours.space;
  space.streams = {"rgb", "flow"};
  space.learned.seed = 7;
  EXPECT_EQ(name(), "features-euclidean-k15-tau0.1-rgb+flow");
  space.space = "learned";
  EXPECT_EQ(name(), "learned-euclidean-k15-tau0.1-rgb+flow-seed7");
  space.streams.clear();
  EXPECT_EQ(name(), "learned-euclidean-k15-tau0.1-seed7");
}

TEST(PlanCompare, RunsHaveTheNamesOfSplits) {
  ExperimentSettings settings;
  settings.datasets = {"confusing/split1", "confusing/split2/"};
  settings.seeds = 1;
  EXPECT_EQ(names_of(plan_compare(settings, {"an"})), (Words{"an-split1-1", "an-split2-1"}));
  settings.datasets = {"a/kitchen", "b/kitchen"};
  EXPECT_EQ(names_of(plan_compare(settings, {"an"})), (Words{"an-1-1", "an-2-1"}));
}

TEST(PlanCompare, UsesGivenPseudoLabels) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  settings.given_pseudo_labels = "by-hand";
  const Experiment plan = plan_compare(settings, {"mask"});
  EXPECT_EQ(plan.runs[0].settings.features.pseudo_labels, "by-hand");
  EXPECT_FALSE(plan.runs[0].pseudo_labels.has_value());
  settings.given_pseudo_labels = "default";
  EXPECT_FALSE(plan_compare(settings, {"mask"}).runs[0].pseudo_labels.has_value())
      << "what 'pseudo-label' writes unless told otherwise is a name like others";
}

TEST(PlanCompare, ALossMayHaveClassLevelOrIdealPseudoLabels) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  settings.seeds = 1;
  const Experiment plan = plan_compare(settings, {"p+s", "p+s-class", "ce-mask-ideal"});
  EXPECT_EQ(keys_of(plan), (Words{"p+s", "p+s-class", "ce-mask-ideal"}));
  EXPECT_EQ(plan.rows[1].title, "P+S, class-level");
  EXPECT_EQ(plan.rows[2].loss, "ce-mask");
  EXPECT_EQ(plan.runs[1].pseudo_labels->method, PseudoLabelMethod::Class);
  EXPECT_EQ(plan.runs[2].settings.features.pseudo_labels, "ideal");
  EXPECT_EQ(names_of(plan), (Words{"p+s-1", "p+s-class-1", "ce-mask-ideal-1"}));
  EXPECT_THROW(plan_compare(settings, {"an-ideal"}), Error);
}

TEST(PlanCompare, EndToEndRunsMakeTheirOwnInstanceLevelPseudoLabels) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  settings.seeds = 1;
  settings.run = default_settings(RunKind::Clips);
  const Experiment plan = plan_compare(settings, {"ce", "mask", "mask-ideal"});
  EXPECT_EQ(plan.from, RunKind::Clips);
  EXPECT_FALSE(plan.runs[1].pseudo_labels.has_value());
  EXPECT_EQ(plan.runs[1].settings.clips.pseudo_labels, "");
  EXPECT_EQ(plan.runs[2].pseudo_labels->method, PseudoLabelMethod::Ideal);
  EXPECT_EQ(plan.runs[2].settings.clips.pseudo_labels, "ideal");
  settings.given_pseudo_labels = "by-hand";
  EXPECT_EQ(plan_compare(settings, {"mask"}).runs[0].settings.clips.pseudo_labels, "by-hand");
}

TEST(PlanCompare, ALossTwiceIsAnError) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  EXPECT_THROW(plan_compare(settings, {"an", "an"}), Error);
  EXPECT_THROW(plan_compare(settings, {"maks"}), Error);
}

TEST(PlanAblate, HasIdealPseudoLabelsIfTheTruthIsKnown) {
  const ScratchFolder scratch;
  Dataset kitchen = write_kitchen(scratch / "kitchen");
  ExperimentSettings settings;
  settings.datasets = {scratch / "kitchen"};
  settings.seeds = 1;
  const Experiment plan = plan_ablate(settings, {"mask", "p+s"});
  EXPECT_EQ(keys_of(plan),
            (Words{"mask", "mask-class", "mask-ideal", "p+s", "p+s-class", "p+s-ideal"}));
  EXPECT_EQ(plan.rows[1].title, "Mask, class-level");
  EXPECT_TRUE(plan.remarks.empty());
  EXPECT_EQ(plan.runs[1].pseudo_labels->method, PseudoLabelMethod::Class);
  EXPECT_EQ(plan.runs[2].settings.features.pseudo_labels, "ideal");

  for (Clip& clip : kitchen.clips) clip.truth.clear();
  write_dataset(kitchen.folder, kitchen);
  const Experiment single = plan_ablate(settings, {"mask"});
  EXPECT_EQ(keys_of(single), (Words{"mask", "mask-class"}));
  EXPECT_EQ(single.remarks, Words{"left out the ideal pseudo-labels: clips.csv has no ground truth "
                                  "of training clips"});
}

// As on Confusing-HMDB-102: both labels of a pair apply to all of its clips.
TEST(PlanAblate, EqualClassLevelAndIdealPseudoLabelsAreOneRow) {
  const ScratchFolder scratch;
  Dataset line = write_line(scratch / "line");
  const std::vector<std::vector<ClassId>> pairs = {{0, 1}, {0, 1}, {2}};
  for (Clip& clip : line.clips) {
    const std::vector<ClassId>& pair = pairs[clip.labels.front()];
    if (clip.split == Split::Train) clip.truth = pair;
    if (clip.split == Split::Test) clip.labels = pair;
  }
  write_dataset(line.folder, line);
  ExperimentSettings settings;
  settings.datasets = {scratch / "line"};
  settings.seeds = 1;
  const Experiment plan = plan_ablate(settings, {"mask", "p+s"});
  EXPECT_EQ(keys_of(plan), (Words{"mask", "mask-ideal", "p+s", "p+s-ideal"}));
  EXPECT_EQ(plan.rows[1].title, "Mask, ideal = class");
  EXPECT_EQ(plan.remarks,
            Words{"the class-level pseudo-labels equal the ideal ones: one row stands for both"});

  line.clips.front().truth = {0};
  write_dataset(line.folder, line);
  EXPECT_EQ(keys_of(plan_ablate(settings, {"mask"})), (Words{"mask", "mask-class", "mask-ideal"}));
}

TEST(PlanAblate, ALossWithoutPseudoLabelsIsAnError) {
  ExperimentSettings settings;
  EXPECT_THROW(plan_ablate(settings, {"wan"}), Error);
}

TEST(PlanSweep, HasEveryKWithEveryTau) {
  ExperimentSettings settings;
  settings.datasets = {"kitchen"};
  settings.seeds = 1;
  const Experiment plan = plan_sweep(settings, {"mask"}, {3, 15}, {0.1, 0.25});
  EXPECT_EQ(keys_of(plan),
            (Words{"mask-k3-tau0.1", "mask-k3-tau0.25", "mask-k15-tau0.1", "mask-k15-tau0.25"}));
  EXPECT_EQ(plan.rows[3].k, 15);
  EXPECT_EQ(plan.rows[3].tau, 0.25);
  EXPECT_EQ(plan.runs[3].pseudo_labels->neighbours.k, 15);
  EXPECT_EQ(plan.runs[3].pseudo_labels->tau, 0.25);
  EXPECT_EQ(plan.runs[3].settings.features.pseudo_labels, "features-euclidean-k15-tau0.25");
}

}  // namespace
}  // namespace manyverbs
