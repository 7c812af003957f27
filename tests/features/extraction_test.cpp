// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/extraction.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "manyverbs/dataset/internal/shared_data.h"
#include "manyverbs/features/internal/row_store.h"
#include "manyverbs/features/internal/safetensors.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/decoding/drawn.h"
#include "tests/decoding/numbered_pictures.h"
#include "tests/decoding/video_dataset.h"
#include "tests/interrupting.h"
#include "tests/learning/tensors.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

// Two readable clips and, between them, an unreadable one.
Dataset three_clips(const ScratchFolder& scratch) {
  write_drifting_video(scratch / "a.mp4", 9, 2.0);
  write_drifting_video(scratch / "c.mp4", 3, -1.0);
  scratch.write("b.mp4", "no video");
  return video_dataset(scratch, {{"a", "a.mp4"}, {"b", "b.mp4"}, {"c", "c.mp4"}});
}

ExtractionSettings small(Stream stream = Stream::Rgb) {
  ExtractionSettings settings;
  settings.backbone.stream = stream;
  settings.backbone.backbone = "resnet10";
  settings.backbone.segments = 4;
  settings.size = 32;
  settings.on_error = OnError::Skip;
  return settings;
}

ExtractionReport extract(const Dataset& dataset, const ExtractionSettings& settings) {
  return extract_features(dataset, prepare_backbone(settings.backbone), settings);
}

std::vector<float> row_of(const Matrix<float>& matrix, int i) {
  const auto row = matrix.row(i);
  return {row.begin(), row.end()};
}

TEST(Extraction, WritesOneRowPerClipAndZerosForUnreadableClips) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  const ExtractionReport report = extract(dataset, small());
  EXPECT_EQ(report.computed, 2);
  EXPECT_EQ(report.columns, 512);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_EQ(report.problems[0].clip, ClipRow(1));
  const Matrix<float> features = read_float_array(scratch / "features/rgb.npy");
  EXPECT_EQ(features.rows(), 3U);
  EXPECT_EQ(row_of(features, 1), std::vector<float>(512, 0));
  const PreparedBackbone backbone = prepare_backbone(small().backbone);
  ClipSettings clips;
  clips.input = input_settings(Stream::Rgb, 32);
  clips.segments = 4;
  const ClipSource source(dataset, clips, OnError::Skip);
  for (const int clip : {0, 2}) {
    expect_near(row_of(features, clip),
                values_of(backbone.tsm.features(source.test_clip(ClipRow(clip)))), 1e-4,
                "features");
  }
  const Json record = read_json(scratch / "features/rgb.json");
  EXPECT_EQ(record["backbone"], "resnet10");
  EXPECT_EQ(record["origin"], "random");
  EXPECT_EQ(record["skipped"], Json::array({"b"}));
  EXPECT_FALSE(std::filesystem::exists(scratch / "features/rgb.partial"));
}

// Two data sets share their videos; the second has one more.
TEST(Extraction, RowsOfASharingDataSetAreCopied) {
  const ScratchFolder scratch;
  for (const int i : {1, 2, 3}) write_drifting_video(scratch / fmt::format("{}.mp4", i), 8, i);
  const std::string shared = write_shared(scratch.path(), {"first", "second"});
  const auto make = [&](const std::string& name, const std::vector<int>& videos) {
    Dataset dataset;
    dataset.folder = scratch / name;
    dataset.name = name;
    dataset.classes = Vocabulary({"drift"});
    dataset.shared = shared;
    for (const int i : videos) {
      dataset.clips.push_back({std::to_string(i), Split::Train, {0}, {}, "", {}, {}});
      dataset.clips.back().video = fmt::format("../{}.mp4", i);
    }
    std::filesystem::create_directory(dataset.folder);
    write_dataset(dataset.folder, dataset);
    return dataset;
  };
  const Dataset first = make("first", {1, 2});
  const Dataset second = make("second", {3, 2, 1});
  EXPECT_EQ(extract(first, small()).computed, 2);
  const ExtractionReport report = extract(second, small());
  EXPECT_EQ(report.computed, 1);
  EXPECT_EQ(report.kept, 2);
  const Matrix<float> of_first = read_float_array(scratch / "first/features/rgb.npy");
  const Matrix<float> of_second = read_float_array(scratch / "second/features/rgb.npy");
  EXPECT_EQ(row_of(of_second, 2), row_of(of_first, 0));
  EXPECT_EQ(row_of(of_second, 1), row_of(of_first, 1));
  EXPECT_NE(row_of(of_second, 0), row_of(of_first, 0));
  // Not with other settings, and not of another video.
  ExtractionSettings other = small();
  other.backbone.seed = 7;
  other.replace = true;
  EXPECT_EQ(extract(second, other).computed, 3);
  write_drifting_video(scratch / "2.mp4", 8, 5);
  std::filesystem::remove_all(scratch / "second/features");
  EXPECT_EQ(extract(second, small()).computed, 2);
}

// Flow images of the whole video, one for two frames; the clips overlap.
TEST(Extraction, ReadsGivenFlowOfParts) {
  const ScratchFolder scratch;
  write_frames(scratch / "rgb", 40);
  write_frames(scratch / "images/u", 19);
  write_frames(scratch / "images/v", 19, 40);
  pack(scratch / "images", scratch / "images.tar");
  Dataset dataset = video_dataset(scratch, {{"a", "rgb"}, {"b", "rgb"}});
  for (Clip& clip : dataset.clips) clip.flow = "images.tar";
  dataset.clips[0].start_frame = 1;
  dataset.clips[0].stop_frame = 20;
  dataset.clips[1].start_frame = 11;
  dataset.clips[1].stop_frame = 40;
  compute_flow(dataset, {}, OnError::Stop);
  ExtractionSettings settings = small(Stream::Flow);
  settings.on_error = OnError::Stop;
  EXPECT_EQ(extract(dataset, settings).computed, 2);
  EXPECT_EQ(extract(dataset, settings).computed, 0);
  const Matrix<float> features = read_float_array(scratch / "features/flow.npy");
  EXPECT_NE(row_of(features, 0), row_of(features, 1));
  EXPECT_EQ(read_json(scratch / "features/flow.json")["flow"]["method"], "given");
  // Another part is another clip.
  dataset.clips[1].start_frame = 15;
  EXPECT_NE(error_of(scratch, [&] { extract(dataset, settings); }), "");
}

TEST(Extraction, CanStopAtAnUnreadableClip) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  ExtractionSettings settings = small();
  settings.on_error = OnError::Stop;
  EXPECT_NE(error_of(scratch, [&] { extract(dataset, settings); }).find("b.mp4"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch / "features/rgb.npy"));
}

TEST(Extraction, BatchesAndThreadsDoNotChangeABit) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  const std::string one = read_file(scratch / "features/rgb.npy");
  std::filesystem::remove_all(scratch / "features");
  ExtractionSettings settings = small();
  settings.batch = 2;
  set_num_threads(2);
  extract(dataset, settings);
  set_num_threads(1);
  EXPECT_EQ(read_file(scratch / "features/rgb.npy"), one);
}

// The new video has the number of frames and the time of the old one.
TEST(Extraction, TheRowOfAReplacedVideoIsComputedAgain) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  const std::filesystem::path video = video_path(dataset, dataset.clips[0]);
  std::string bytes = read_file(video);
  bytes[bytes.find("Lavf")] = 'l';  // the name of the program that wrote it
  const auto time = std::filesystem::last_write_time(video);
  write_file(video, bytes);
  std::filesystem::last_write_time(video, time);
  const ExtractionReport again = extract(dataset, small());
  EXPECT_EQ(again.computed, 1);
  EXPECT_EQ(again.kept, 1);
  EXPECT_EQ(extract(dataset, small()).computed, 0);
}

TEST(Extraction, ResumingDropsTheRowOfAReplacedVideo) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  // c fails, so the call stops after a.
  std::filesystem::remove(scratch / "b.mp4");
  std::filesystem::copy(scratch / "c.mp4", scratch / "b.mp4");
  ExtractionSettings settings = small();
  settings.on_error = OnError::Stop;
  index_frames(dataset, OnError::Stop);
  const std::string c = read_file(scratch / "c.mp4");
  std::string index = read_file(scratch / "frames.csv");
  const std::string hash = content_hash(scratch / "c.mp4");
  scratch.write("c.mp4", std::string(c.size(), 'x'));
  index.replace(index.rfind(hash), hash.size(), content_hash(scratch / "c.mp4"));
  scratch.write("frames.csv", index);
  EXPECT_NE(error_of(scratch, [&] { extract(dataset, settings); }), "");
  ASSERT_TRUE(std::filesystem::exists(scratch / "features/rgb.partial"));
  scratch.write("c.mp4", c);
  write_drifting_video(scratch / "a.mp4", 9, -3.0);
  const ExtractionReport report = extract(dataset, settings);
  EXPECT_EQ(report.kept, 1);
  EXPECT_EQ(report.computed, 2);
}

TEST(Extraction, FeaturesOfMissingVideosAreKept) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  for (const Clip& clip : dataset.clips) std::filesystem::remove(video_path(dataset, clip));
  EXPECT_EQ(extract(dataset, small()).kept, 2);
}

TEST(Extraction, ExistingFeaturesAreKeptAndOtherSettingsAreErrors) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  const ino_t written = identity(scratch / "features/rgb.npy");
  const ExtractionReport again = extract(dataset, small());
  EXPECT_EQ(again.computed, 0);
  EXPECT_EQ(again.kept, 2);
  ASSERT_EQ(again.problems.size(), 1U);
  EXPECT_EQ(again.problems[0].clip, ClipRow(1));
  EXPECT_EQ(identity(scratch / "features/rgb.npy"), written);
  ExtractionSettings other = small();
  other.size = 48;
  EXPECT_EQ(error_of(scratch, [&] { extract(dataset, other); }),
            "features/rgb.npy: exists and was made with other settings; --replace overwrites it");
  other.replace = true;
  EXPECT_EQ(extract(dataset, other).computed, 2);
}

TEST(Extraction, ResumesAfterASignalToTheSameFile) {
  const ScratchFolder scratch;
  three_clips(scratch);
  const Dataset dataset = video_dataset(scratch, {{"a", "a.mp4"}, {"c", "c.mp4"}});
  ExtractionSettings settings = small();
  settings.backbone.width = 8;
  const PreparedBackbone backbone = prepare_backbone(settings.backbone);
  extract_features(dataset, backbone, settings);
  const std::string undisturbed = read_file(scratch / "features/rgb.npy");
  std::filesystem::remove_all(scratch / "features");
  const std::vector<std::string> kept =
      interrupt_until_done([&] { extract_features(dataset, backbone, settings); });
  EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [](const std::string& text) {
    return text.starts_with("the features of ") && text.ends_with(" of 2 clips are saved");
  }));
  EXPECT_EQ(read_file(scratch / "features/rgb.npy"), undisturbed);
}

TEST(Extraction, ACallThatFailedResumesToTheSameFile) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  ExtractionSettings settings = small();
  extract(dataset, settings);
  const std::string whole = read_file(scratch / "features/rgb.npy");
  std::filesystem::remove_all(scratch / "features");
  // The last clip fails, so the call stops after the first.
  std::filesystem::rename(scratch / "b.mp4", scratch / "b.old");
  std::filesystem::copy(scratch / "a.mp4", scratch / "b.mp4");
  settings.on_error = OnError::Stop;
  const PreparedBackbone backbone = prepare_backbone(settings.backbone);
  index_frames(dataset, OnError::Stop);
  const auto c = read_file(scratch / "c.mp4");
  std::string index = read_file(scratch / "frames.csv");
  const std::string hash = content_hash(scratch / "c.mp4");
  scratch.write("c.mp4", std::string(c.size(), 'x'));
  // As if it had been readable when its frames were counted.
  index.replace(index.find(hash), hash.size(), content_hash(scratch / "c.mp4"));
  scratch.write("frames.csv", index);
  EXPECT_NE(error_of(scratch, [&] { extract_features(dataset, backbone, settings); }), "");
  EXPECT_TRUE(std::filesystem::exists(scratch / "features/rgb.partial"));
  scratch.write("c.mp4", c);
  const ExtractionReport report = extract_features(dataset, backbone, settings);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.computed, 1);
  const Matrix<float> features = read_float_array(scratch / "features/rgb.npy");
  EXPECT_EQ(row_of(features, 0), row_of(features, 1));
  EXPECT_EQ(read_file(scratch / "features/rgb.npy").substr(whole.size() - 2048),
            whole.substr(whole.size() - 2048));
}

TEST(Extraction, ASkippedClipIsComputedWhenItBecomesReadable) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  const Matrix<float> before = read_float_array(scratch / "features/rgb.npy");
  std::filesystem::copy(scratch / "a.mp4", scratch / "b.mp4",
                        std::filesystem::copy_options::overwrite_existing);
  const ExtractionReport report = extract(dataset, small());
  EXPECT_EQ(report.computed, 1);
  EXPECT_EQ(report.kept, 2);
  EXPECT_TRUE(report.problems.empty());
  const Matrix<float> after = read_float_array(scratch / "features/rgb.npy");
  for (const int clip : {0, 2}) EXPECT_EQ(row_of(after, clip), row_of(before, clip));
  EXPECT_EQ(row_of(after, 1), row_of(before, 0));
  EXPECT_EQ(read_json(scratch / "features/rgb.json")["skipped"], Json::array());
  EXPECT_EQ(extract(dataset, small()).kept, 3);
}

TEST(Extraction, FeaturesThatDoNotMatchTheirRecordAreErrors) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  write_array(scratch / "features/rgb.npy", Matrix<float>(2, 512));
  std::filesystem::copy(scratch / "a.mp4", scratch / "b.mp4",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(
      error_of(scratch, [&] { extract(dataset, small()); }),
      "features/rgb.npy: does not match its record rgb.json; remove both to compute it again");
}

// The new file cannot be renamed: as if the process had been killed just before that.
TEST(Extraction, ARecordNeverBelongsToOtherFeatures) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  ExtractionSettings other = small();
  other.size = 48;
  other.replace = true;
  std::filesystem::remove(scratch / "features/rgb.npy");
  std::filesystem::create_directories(scratch / "features/rgb.npy/taken");
  EXPECT_NE(error_of(scratch, [&] { extract(dataset, other); }), "");
  EXPECT_FALSE(std::filesystem::exists(scratch / "features/rgb.json"));
}

TEST(Extraction, ACallThatWasKilledBeforeTheRecordResumes) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  const std::string whole = read_file(scratch / "features/rgb.npy");
  std::filesystem::remove(scratch / "features/rgb.json");
  scratch.write("features/rgb.partial", "");
  EXPECT_EQ(extract(dataset, small()).computed, 2);
  EXPECT_EQ(read_file(scratch / "features/rgb.npy"), whole);
  EXPECT_TRUE(std::filesystem::exists(scratch / "features/rgb.json"));
}

TEST(Extraction, StoppingSkipsTheRemainingClips) {
  const ScratchFolder scratch;
  std::filesystem::path bad = scratch / "a.mp4";
  write_drifting_video(bad, 9, 2.0);
  write_drifting_video(scratch / "b.mp4", 3, -1.0);
  const Dataset dataset = video_dataset(scratch, {{"a", "a.mp4"}, {"b", "b.mp4"}});
  index_frames(dataset, OnError::Stop);
  const std::string bytes = read_file(bad);
  const auto changed = std::filesystem::last_write_time(bad);
  const auto put = [&](const std::string& text) {
    scratch.write("a.mp4", text);
    std::filesystem::last_write_time(bad, changed);
  };
  put(std::string(bytes.size(), 'x'));  // already in the frame index, so that decoding fails
  ExtractionSettings settings = small();
  settings.on_error = OnError::Stop;
  EXPECT_NE(error_of(scratch, [&] { extract(dataset, settings); }), "");
  put(bytes);
  const ExtractionReport report = extract(dataset, settings);
  EXPECT_EQ(report.kept, 0);
  EXPECT_EQ(report.computed, 2);
}

TEST(Extraction, Float16IsTheNearestToFloat32) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  extract(dataset, small());
  const Matrix<float> whole = read_float_array(scratch / "features/rgb.npy");
  ExtractionSettings settings = small();
  settings.type = NumberType::Float16;
  settings.replace = true;
  extract(dataset, settings);
  const ArrayFile halves(scratch / "features/rgb.npy");
  EXPECT_EQ(halves.type(), NumberType::Float16);
  std::vector<float> row(512);
  halves.read_row(2, row.data());
  for (int i = 0; i < 512; ++i) EXPECT_NEAR(row[i], whole(2, i), 1e-3 * (1 + whole(2, i)));
}

TEST(Extraction, FlowFeaturesRequireFlow) {
  const ScratchFolder scratch;
  write_drifting_video(scratch / "a.mp4", 9, 2.0);
  const Dataset dataset = video_dataset(scratch, {{"a", "a.mp4"}});
  EXPECT_NE(error_of(scratch, [&] { extract(dataset, small(Stream::Flow)); }), "");
  compute_flow(dataset, {FlowMethod::Dis, 20, 0}, OnError::Stop);
  ExtractionSettings settings = small(Stream::Flow);
  settings.peek = 1;
  const ExtractionReport report = extract(dataset, settings);
  EXPECT_EQ(report.computed, 1);
  ASSERT_EQ(report.pictures.size(), 1U);
  const Image picture = read_picture(report.pictures[0]);
  EXPECT_EQ(picture.width, 4 * 32);
  EXPECT_EQ(picture.height, 32);
  EXPECT_EQ(ArrayFile(scratch / "features/flow.npy").columns(), 512U);
  EXPECT_EQ(read_json(scratch / "features/flow.json")["flow"]["method"], "dis");
}

TEST(Extraction, WithoutWeightsARemarkSaysThatTheyAreRandom) {
  EXPECT_EQ(
      prepare_backbone(small().backbone).remarks,
      std::vector<std::string>{
          "without --weights the network is random and its features carry little information"});
}

TEST(Extraction, TheNumberOfFramesIsThatOfTheTraining) {
  const ScratchFolder scratch;
  const Tsm tsm({.depth = 10, .segments = 3, .width = 8}, 1);
  BackboneSettings settings;
  settings.weights = scratch / "x.safetensors";
  write_tensors(settings.weights, {tsm.state(), checkpoint_metadata(tsm.shape(), {})});
  EXPECT_EQ(prepare_backbone(settings).tsm.shape().segments, 3);
  settings.segments = 5;
  EXPECT_EQ(prepare_backbone(settings).tsm.shape().segments, 5);
  BackboneSettings at_random;
  at_random.backbone = "resnet10";
  EXPECT_EQ(prepare_backbone(at_random).tsm.shape().segments, 8);
}

TEST(Extraction, UsesTheInputSizeOfTheTraining) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  const Tsm tsm({.depth = 10, .segments = 3, .width = 8}, 1);
  ExtractionSettings settings;
  settings.on_error = OnError::Skip;
  settings.backbone.weights = scratch / "x.safetensors";
  write_tensors(settings.backbone.weights, {tsm.state(), checkpoint_metadata(tsm.shape(), {}, 40)});
  extract(dataset, settings);
  EXPECT_EQ(read_json(scratch / "features/rgb.json")["size"], 40);
  settings.size = 48;
  settings.replace = true;
  extract(dataset, settings);
  EXPECT_EQ(read_json(scratch / "features/rgb.json")["size"], 48);
}

// Weights are identified by content: moved or copied, they give the same features.
TEST(Extraction, KeepsFeaturesOfWeightsThatMoved) {
  const ScratchFolder scratch;
  const Dataset dataset = three_clips(scratch);
  const Tsm tsm({.depth = 10, .segments = 3, .width = 8}, 1);
  ExtractionSettings settings;
  settings.on_error = OnError::Skip;
  settings.size = 32;
  settings.backbone.weights = scratch / "x.safetensors";
  write_tensors(settings.backbone.weights, {tsm.state(), checkpoint_metadata(tsm.shape(), {})});
  EXPECT_EQ(extract(dataset, settings).computed, 2);
  settings.backbone.weights = scratch / "y.safetensors";
  std::filesystem::rename(scratch / "x.safetensors", settings.backbone.weights);
  EXPECT_EQ(extract(dataset, settings).kept, 2);
}

TEST(RowStore, RowsSurviveTheProcessAndAnotherStampDropsThem) {
  const ScratchFolder scratch;
  const std::string row = "abcd";
  { RowStore(scratch / "x", "one", 3, 4).put(1, row.data()); }
  {
    const RowStore again(scratch / "x", "one", 3, 4);
    EXPECT_FALSE(again.has(0));
    EXPECT_TRUE(again.has(1));
    EXPECT_EQ(again.row(1), (std::vector<char>{'a', 'b', 'c', 'd'}));
    EXPECT_EQ(again.row(2), std::vector<char>(4, 0));
    EXPECT_EQ(error_of(scratch, [&] { RowStore(scratch / "x", "one", 3, 4); }),
              "x: in use by another process");
  }
  EXPECT_FALSE(RowStore(scratch / "x", "two", 3, 4).has(1));
}

}  // namespace
}  // namespace manyverbs
