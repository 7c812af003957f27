// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/checkpoint.h"

#include <ATen/ATen.h>

#include "manyverbs/features/internal/safetensors.h"
#include "tests/features/made_up.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

constexpr TsmShape kShape{.depth = 10, .segments = 2, .classes = 6, .width = 2};

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "checkpoints" / name;
}

// The weights that tests/golden/checkpoints.py put into the files.
Tsm filled(TsmShape shape = kShape) {
  Tsm tsm(shape, 1);
  fill(tsm);
  return tsm;
}

void expect_same_weights(const Tsm& found, const Tsm& expected, double tolerance,
                         const std::string& except = "none") {
  const auto a = found.state();
  const auto b = expected.state();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].first.starts_with(except)) continue;
    EXPECT_TRUE(at::allclose(a[i].second, b[i].second, tolerance, tolerance)) << a[i].first;
  }
}

struct Family {
  const char* file;
  CheckpointKind kind;
  const char* name;
  int classes;
  double tolerance;  // the smaller files are float16
};
const std::vector<Family> kFamilies = {
    {"torchvision.pth", CheckpointKind::Torchvision, "torchvision", 6, 0},
    {"tsm.pth", CheckpointKind::Tsm, "TSM", 6, 1e-3},
    {"mmaction.pth", CheckpointKind::Mmaction, "mmaction2", 6, 1e-3},
    {"epic.ckpt", CheckpointKind::Epic, "EPIC-Kitchens C1", 397, 1e-3},
};

TEST(Checkpoint, EveryFamilyIsRecognisedByItsNamesAndLoaded) {
  for (const Family& family : kFamilies) {
    const Checkpoint checkpoint = read_checkpoint(golden(family.file));
    EXPECT_EQ(checkpoint.kind, family.kind) << family.file;
    EXPECT_EQ(kind_name(checkpoint.kind), family.name);
    EXPECT_EQ(checkpoint.shape.depth, 10) << family.file;
    EXPECT_EQ(checkpoint.shape.width, 2) << family.file;
    EXPECT_EQ(checkpoint.shape.classes, family.classes) << family.file;
    EXPECT_EQ(checkpoint.shape.input_channels, 3) << family.file;
    EXPECT_EQ(checkpoint.unused, std::vector<std::string>{}) << family.file;
    EXPECT_EQ(checkpoint.normalisation.mean, Normalisation{}.mean) << family.file;
    EXPECT_EQ(checkpoint.normalisation.flow_std,
              family.kind == CheckpointKind::Mmaction ? 128 / 255.0 : 0.226);
    if (family.classes != 6) continue;
    Tsm tsm(kShape, 9);
    EXPECT_EQ(load_checkpoint(checkpoint, &tsm).remarks, std::vector<std::string>{});
    expect_same_weights(tsm, filled(), family.tolerance);
  }
}

TEST(Checkpoint, TheVerbsOfEpicKitchensAreTheFirst97Classes) {
  TsmShape shape = kShape;
  shape.classes = 97;
  Tsm tsm(shape, 9);
  const Checkpoint checkpoint = read_checkpoint(golden("epic.ckpt"));
  EXPECT_EQ(load_checkpoint(checkpoint, &tsm).remarks, std::vector<std::string>{});
  EXPECT_TRUE(
      at::allclose(tsm.classifier_weight(), made_up({397, 16}, 7).narrow(0, 0, 97), 1e-3, 1e-3));
  EXPECT_TRUE(at::allclose(tsm.classifier_bias(), made_up({397}, 8).narrow(0, 0, 97), 1e-3, 1e-3));
  expect_same_weights(tsm, filled(shape), 1e-3, "fc.");
}

TEST(Checkpoint, AClassifierOfOtherClassesStaysRandomWithARemark) {
  TsmShape shape = kShape;
  shape.classes = 4;
  Tsm tsm(shape, 9);
  const auto start = tsm.classifier_weight().clone();
  EXPECT_EQ(load_checkpoint(read_checkpoint(golden("tsm.pth")), &tsm).remarks,
            (std::vector<std::string>{
                "the classifier is initialised randomly: expected 4 classes, the file has 6"}));
  EXPECT_TRUE(at::equal(tsm.classifier_weight(), start));
}

TEST(Checkpoint, WithoutAClassifierTheOneInTheFileIsIgnored) {
  TsmShape shape = kShape;
  shape.classes = 0;
  Tsm tsm(shape, 9);
  EXPECT_EQ(load_checkpoint(read_checkpoint(golden("torchvision.pth")), &tsm).remarks,
            std::vector<std::string>{});
}

TEST(Checkpoint, RgbWeightsAreAveragedForFlow) {
  TsmShape shape = kShape;
  shape.input_channels = 10;
  Tsm tsm(shape, 9);
  const auto fit = load_checkpoint(read_checkpoint(golden("torchvision.pth")), &tsm);
  ASSERT_EQ(fit.remarks.size(), 1U);
  EXPECT_EQ(fit.remarks[0],
            "the first convolution is for RGB: its mean over red, green and blue is used for each "
            "of the 10 flow channels");
  const at::Tensor mean = filled().stem().weight.mean(1);
  for (int c = 0; c < 10; ++c) {
    EXPECT_TRUE(at::allclose(tsm.stem().weight.select(1, c), mean)) << c;
  }
}

TEST(Checkpoint, AnotherNetworkIsAnErrorWithTheNames) {
  const ScratchFolder scratch;
  const Checkpoint checkpoint = read_checkpoint(golden("torchvision.pth"));
  TsmShape shape = kShape;
  shape.depth = 18;
  Tsm deeper(shape, 1);
  const std::string missing = error_of(scratch, [&] { load_checkpoint(checkpoint, &deeper); });
  EXPECT_NE(missing.find("the torchvision ResNet-10 does not match the network; missing: "
                         "layer1.1.conv1.weight, layer1.1.bn1.weight, "),
            std::string::npos)
      << missing;
  shape = kShape;
  shape.width = 4;
  Tsm wider(shape, 1);
  const std::string other = error_of(scratch, [&] { load_checkpoint(checkpoint, &wider); });
  EXPECT_NE(other.find("wrong shape: conv1.weight (expected 4 x 3 x 7 x 7, found 2 x 3 x 7 x 7), "
                       "bn1.weight (expected 4, found 2)"),
            std::string::npos)
      << other;
}

TEST(Checkpoint, UnusedTensorsAreReported) {
  const ScratchFolder scratch;
  auto tensors = filled().state();
  tensors.emplace_back("head.extra", at::ones({2}));
  tensors.emplace_back("bn1.num_batches_tracked", at::ones({1}));
  write_tensors(scratch / "x.safetensors", {tensors, {}});
  const Checkpoint checkpoint = read_checkpoint(scratch / "x.safetensors");
  EXPECT_EQ(checkpoint.kind, CheckpointKind::Torchvision);
  EXPECT_EQ(checkpoint.unused, std::vector<std::string>{"head.extra"});
  Tsm tsm(kShape, 9);
  EXPECT_EQ(load_checkpoint(checkpoint, &tsm).remarks,
            std::vector<std::string>{"unused tensor 'head.extra'"});
}

TEST(Checkpoint, OwnCheckpointsAreReadBack) {
  const ScratchFolder scratch;
  TsmShape shape = kShape;
  shape.shift = false;
  shape.segments = 5;
  const Tsm written = filled(shape);
  Normalisation normalisation;
  normalisation.mean = {0.1, 0.2, 0.3};
  normalisation.blue_first = true;
  normalisation.flow_mean = 0.4;
  write_tensors(scratch / "x.safetensors",
                {written.state(), checkpoint_metadata(shape, normalisation)});
  const Checkpoint checkpoint = read_checkpoint(scratch / "x.safetensors");
  EXPECT_EQ(checkpoint.kind, CheckpointKind::Manyverbs);
  EXPECT_EQ(checkpoint.shape, shape);
  EXPECT_EQ(checkpoint.normalisation, normalisation);
  Tsm read(checkpoint.shape, 9);
  load_checkpoint(checkpoint, &read);
  expect_same_weights(read, written, 0);
}

TEST(Checkpoint, AFileWithoutAResNetIsAnError) {
  const ScratchFolder scratch;
  write_tensors(scratch / "x.safetensors", {{{"a", at::ones({1})}, {"b", at::ones({1})}}, {}});
  EXPECT_EQ(
      error_of(scratch, [&] { read_checkpoint(scratch / "x.safetensors"); }),
      "x.safetensors: contains no ResNet: expected a tensor 'layer1.0.conv1.weight', found a, "
      "b");
  write_tensors(scratch / "y.safetensors", {{{"layer1.0.conv1.weight", at::ones({1})}}, {}});
  EXPECT_EQ(error_of(scratch, [&] { read_checkpoint(scratch / "y.safetensors"); }),
            "y.safetensors: the first convolution, 'conv1.weight', is missing");
}

}  // namespace
}  // namespace manyverbs
