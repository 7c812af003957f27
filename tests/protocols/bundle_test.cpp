// SPDX-License-Identifier: MIT
#include "manyverbs/protocols/internal/bundle.h"

#include <sys/wait.h>

#include "manyverbs/metrics/internal/evaluation_json.h"
#include "manyverbs/protocols/model.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/clip_rows.h"
#include "tests/one_thread.h"
#include "tests/protocols/video_kitchen.h"

namespace manyverbs {
namespace {

class Bundles : public VideoKitchen {
 protected:
  // The bundle of "run", with everything else removed except a video.
  void leave_only(const std::string& bundle) {
    std::filesystem::rename(video(), scratch_ / "clip.mp4");
    for (const std::string& name : scratch_.names()) {
      if (name != bundle && name != "clip.mp4") std::filesystem::remove_all(scratch_ / name);
    }
  }
  std::filesystem::path video() const { return scratch_ / "kitchen/videos/clip_00037.mp4"; }
  Matrix<float> answer(const std::string& folder, const std::filesystem::path& file) const {
    return Model::open(scratch_ / folder).probabilities({file}, OnError::Stop).probabilities;
  }
  void expect_that_it_travels() {
    const Matrix<float> before = answer("run", video());
    const double threshold = Model::open(scratch_ / "run").threshold_for(2);
    export_run(scratch_ / "run", scratch_ / "verbs");
    leave_only("verbs");
    EXPECT_EQ(answer("verbs", scratch_ / "clip.mp4"), before);
    EXPECT_EQ(Model::open(scratch_ / "verbs").threshold_for(2), threshold);
  }
  std::string opening_problem(const std::string& folder) const {
    return error_of(scratch_, [&] { Model::open(scratch_ / folder); });
  }
  std::string export_problem(const std::string& out = "verbs") const {
    return error_of(scratch_, [&] { export_run(scratch_ / "run", scratch_ / out); });
  }
  // The files in backbones/ of a bundle.
  std::vector<std::filesystem::path> backbones() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "verbs/backbones")) {
      files.push_back(entry.path());
    }
    return files;
  }
};

TEST_F(Bundles, OfTwoStreamsNeedNoOtherFiles) {
  train_on_features({Stream::Rgb, Stream::Flow});
  expect_that_it_travels();
  EXPECT_EQ(backbones().size(), 2U);
}

TEST_F(Bundles, OfRandomBackbonesContainTheirWeights) {
  train_on_features({Stream::Rgb}, FlowMethod::Dis, NumberType::Float32, true);
  expect_that_it_travels();
  EXPECT_EQ(backbones().size(), 1U);
}

TEST_F(Bundles, OfClipRunsNeedNoOtherFiles) {
  compute_flow(kitchen_, {.method = FlowMethod::Dis, .short_side = 48}, OnError::Stop);
  RunSettings settings = quick("ce");
  settings.clips.stream = Stream::Flow;
  settings.clips.weights = write_weights(Stream::Flow);
  settings.epochs = 1;
  finetune_run(kitchen_, settings, scratch_ / "run");
  expect_that_it_travels();
}

TEST_F(Bundles, OfImportedFeaturesLabelFeaturesButNotVideos) {
  const Dataset line = write_kitchen(scratch_ / "line");
  train_run(line, quick_run("an"), scratch_ / "run");
  const Matrix<float> before = Model::open(scratch_ / "run").probabilities(line, clip_rows({0, 1}));
  const BundleReport report = export_run(scratch_ / "run", scratch_ / "verbs");
  EXPECT_EQ(report.no_recipe, (std::vector<std::string>{"flow", "rgb"}));
  const Model model = Model::open(scratch_ / "verbs");
  EXPECT_FALSE(model.reads_videos());
  EXPECT_EQ(model.probabilities(line, clip_rows({0, 1})), before);
  EXPECT_EQ(error_of(scratch_, [&] { model.predict({video()}); }),
            "verbs: cannot label videos: the features 'flow' that it was trained on are not from "
            "'manyverbs extract'");
}

TEST_F(Bundles, AreEvaluatedOnAGivenDataSet) {
  train_on_features({Stream::Rgb});
  export_run(scratch_ / "run", scratch_ / "verbs");
  const Model bundle = Model::open(scratch_ / "verbs");
  EXPECT_EQ(
      to_json(bundle.evaluate(kitchen_, Split::Test), kitchen_.classes),
      to_json(Model::open(scratch_ / "run").evaluate(kitchen_, Split::Test), kitchen_.classes));
  EXPECT_EQ(bundle.coverage_rule(0.8).least_share,
            Model::open(scratch_ / "run").coverage_rule(0.8).least_share);
  EXPECT_EQ(error_of(scratch_, [&] { bundle.dataset(); }),
            "verbs: is a bundle, which has no data set; specify one with --dataset");
}

TEST_F(Bundles, ContainWeightsOfTwoStreamsOnce) {
  train_on_features({Stream::Rgb, Stream::Flow});
  // RGB weights can be used for flow; see load_checkpoint().
  ExtractionSettings settings;
  settings.backbone.stream = Stream::Flow;
  settings.backbone.weights = scratch_ / "rgb.safetensors";
  settings.size = 32;
  settings.replace = true;
  extract_features(kitchen_, prepare_backbone(settings.backbone), settings);
  std::filesystem::remove_all(scratch_ / "run");
  train_run(kitchen_, quick_run("an"), scratch_ / "run");
  expect_that_it_travels();
  EXPECT_EQ(backbones().size(), 1U);
}

TEST_F(Bundles, OfABundleAreEqual) {
  train_on_features({Stream::Rgb});
  export_run(scratch_ / "run", scratch_ / "verbs");
  export_run(scratch_ / "verbs", scratch_ / "again");
  EXPECT_EQ(read_file(scratch_ / "again/bundle.json"), read_file(scratch_ / "verbs/bundle.json"));
}

TEST_F(Bundles, ThatExistAreUnchangedOrErrors) {
  train_on_features({Stream::Rgb});
  EXPECT_FALSE(export_run(scratch_ / "run", scratch_ / "verbs").existed);
  EXPECT_TRUE(export_run(scratch_ / "run", scratch_ / "verbs").existed);
  train_run(kitchen_, quick_run("ce"), scratch_ / "other");
  EXPECT_EQ(error_of(scratch_, [&] { export_run(scratch_ / "other", scratch_ / "verbs"); }),
            "verbs: exists with other content; choose another --out");
  EXPECT_EQ(export_problem("kitchen"), "kitchen: exists with other content; choose another --out");
  EXPECT_EQ(scratch_.names(),
            (std::vector<std::string>{"kitchen", "other", "rgb.safetensors", "run", "verbs"}));
}

TEST_F(Bundles, OfChangedWeightsAreErrors) {
  train_on_features({Stream::Rgb});
  const std::string bytes = read_file(scratch_ / "rgb.safetensors");
  scratch_.write("rgb.safetensors", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(export_problem(),
            "run/run.json: the weights rgb.safetensors have changed since the features were made "
            "with them");
  std::filesystem::remove(scratch_ / "rgb.safetensors");
  EXPECT_EQ(export_problem(), "run/run.json: the weights rgb.safetensors no longer exist");
  EXPECT_EQ(scratch_.names(), (std::vector<std::string>{"kitchen", "run"}));
}

TEST_F(Bundles, OfARunWithoutAModelAreErrors) {
  train_on_features({Stream::Rgb});
  std::filesystem::remove(scratch_ / "run/model.safetensors");
  EXPECT_EQ(export_problem(),
            "run: has no model yet; run the same 'manyverbs train' again to resume");
  EXPECT_EQ(error_of(scratch_, [&] { export_run(scratch_ / "kitchen", scratch_ / "verbs"); }),
            "kitchen: is not a run: it has no run.json; 'manyverbs train' creates one");
}

TEST_F(Bundles, ThatAreDamagedAreErrorsWithTheFile) {
  train_on_features({Stream::Rgb});
  export_run(scratch_ / "run", scratch_ / "verbs");
  const std::filesystem::path weights = backbones().front();
  const std::string name = "verbs/backbones/" + weights.filename().string();
  const std::string bytes = read_file(weights);
  const std::string damaged =
      ": is damaged: its content hash differs from bundle.json; copy the bundle again";
  scratch_.write(name, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(opening_problem("verbs"), name + damaged);
  std::string other = bytes;
  other.back() = static_cast<char>(other.back() ^ 1);
  scratch_.write(name, other);
  EXPECT_EQ(opening_problem("verbs"), name + damaged);
  std::filesystem::remove(weights);
  EXPECT_EQ(opening_problem("verbs"), name + ": is missing; copy the bundle again");
  scratch_.write(name, bytes);
  EXPECT_EQ(opening_problem("verbs"), "");
  scratch_.write("verbs/run.json", "{}");
  EXPECT_EQ(opening_problem("verbs"), "verbs/run.json" + damaged);
  scratch_.write("verbs/bundle.json", "{\"format\": 9}");
  EXPECT_EQ(opening_problem("verbs"), "verbs/bundle.json: has format 9, this program requires 1");
}

TEST_F(Bundles, CannotBeTrainedFurther) {
  train_on_features({Stream::Rgb});
  export_run(scratch_ / "run", scratch_ / "verbs");
  EXPECT_EQ(error_of(scratch_, [&] { train_run(kitchen_, quick_run("an"), scratch_ / "verbs"); }),
            "verbs: is a bundle, which cannot be trained further; choose another --out");
  EXPECT_EQ(opening_problem("verbs"), "");
}

TEST_F(Bundles, WorkOnAReadOnlyDisk) {
  train_on_features({Stream::Rgb});
  const Matrix<float> before = answer("run", video());
  export_run(scratch_ / "run", scratch_ / "verbs");
  const auto set = [&](std::filesystem::perms permissions) {
    for (const char* folder : {"verbs", "verbs/backbones"}) {
      std::filesystem::permissions(scratch_ / folder, permissions);
    }
  };
  set(std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(answer("verbs", video()), before);
  set(std::filesystem::perms::owner_all);
}

TEST_F(Bundles, TwoProcessesCanWriteTheSameOne) {
  train_on_features({Stream::Rgb});
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        export_run(scratch_ / "run", scratch_ / "verbs");
        _exit(0);
      } catch (const std::exception&) {
        _exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(opening_problem("verbs"), "");
  EXPECT_EQ(scratch_.names(),
            (std::vector<std::string>{"kitchen", "rgb.safetensors", "run", "verbs"}));
}

}  // namespace
}  // namespace manyverbs
