// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/youtube8m.h"

#include "manyverbs/dataset/internal/tfrecord.h"
#include "manyverbs/support/internal/checksum.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "tests/dataset/npy.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Names = std::vector<std::string>;
using Labels = std::vector<ClassId>;

const std::filesystem::path kYoutubeFolder =
    std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden";

std::string framed(const std::string& data) {
  const std::string length = bytes_of<std::uint64_t>({data.size()});
  return length + bytes_of<std::uint32_t>({masked_crc32c(length)}) + data +
         bytes_of<std::uint32_t>({masked_crc32c(data)});
}

// A field of a protocol buffer with up to 127 bytes.
std::string message(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string entry(const std::string& name, int kind, const std::string& list) {
  return message(1, message(1, name) + message(2, message(kind, list)));
}

// youtube8m.py wrote the records and drew the data set.
class ImportYoutube8m : public testing::Test {
 protected:
  ImportYoutube8m() {
    settings_.records = {kYoutubeFolder / "youtube8m"};
    settings_.classes = kYoutubeFolder / "youtube8m/vocabulary.csv";
    settings_.min_count = 3;
    settings_.train = 20;
    settings_.val = 5;
    settings_.test = 10;
    settings_.seed = 7;
    settings_.out = scratch_ / "yt8m";
  }

  // The error of an import, which leaves nothing behind.
  std::string problem() {
    const Names before = scratch_.names();
    std::string text = error_of(scratch_, [&] { import_youtube8m(settings_); });
    EXPECT_EQ(scratch_.names(), before);
    return text;
  }
  std::string problem_with(const std::string& bytes) {
    settings_.records = {scratch_.write("x.tfrecord", bytes)};
    return problem();
  }

  ScratchFolder scratch_;
  Youtube8mImport settings_;
};

TEST_F(ImportYoutube8m, DrawsWhatPythonDraws) {
  const Youtube8mImported imported = import_youtube8m(settings_);
  EXPECT_EQ(imported.videos, 40);
  EXPECT_EQ(imported.unlabelled, 1);
  EXPECT_EQ(imported.left_out, 1);
  const Json golden = read_json(kYoutubeFolder / "youtube8m.json");
  const Dataset dataset = read_dataset(settings_.out);
  EXPECT_EQ(dataset.classes.names(), golden.at("names").get<Names>());
  ASSERT_EQ(dataset.clips.size(), golden.at("clips").size());
  EXPECT_EQ(dataset.clips_of(Split::Val).size(), 5U);
  EXPECT_EQ(dataset.clips_of(Split::Test).size(), 10U);
  const FeatureTable rgb = open_features(dataset, {"rgb"});
  const FeatureTable audio = open_features(dataset, {"audio"});
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const Json& expected = golden.at("clips")[i];
    const Clip& clip = dataset.clips[i];
    EXPECT_EQ(clip.name, expected.at("clip").get<std::string>());
    EXPECT_EQ(clip.labels, expected.at("labels").get<Labels>());
    EXPECT_EQ(clip.truth, expected.at("truth").get<Labels>());
    const ClipRow row{static_cast<std::int32_t>(i)};
    std::vector<float> numbers(4);
    rgb.read({&row, 1}, numbers.data());
    EXPECT_EQ(numbers, expected.at("rgb").get<std::vector<float>>());
    numbers.resize(2);
    audio.read({&row, 1}, numbers.data());
    EXPECT_EQ(numbers, expected.at("audio").get<std::vector<float>>());
  }
}

TEST_F(ImportYoutube8m, AnotherSeedDrawsOthers) {
  import_youtube8m(settings_);
  const Dataset first = read_dataset(settings_.out);
  settings_.seed = 8;
  settings_.out = scratch_ / "other";
  EXPECT_NE(import_youtube8m(settings_).dataset.clips, first.clips);
}

TEST_F(ImportYoutube8m, WithoutNamesClassesAreNumbers) {
  settings_.classes.clear();
  EXPECT_EQ(import_youtube8m(settings_).dataset.classes.names(), (Names{"0", "1", "3", "4", "7"}));
}

TEST_F(ImportYoutube8m, TooFewVideosAreAnError) {
  settings_.test = 15;
  EXPECT_EQ(problem(),
            "expected 40 videos (20 train, 5 val, 15 test), found 39 with a label of a class that "
            "has at least 3 videos");
  settings_.records = {scratch_.path()};
  EXPECT_TRUE(problem().ends_with(": has no files *.tfrecord"));
  settings_.records = {kYoutubeFolder / "youtube8m", kYoutubeFolder / "youtube8m/train01.tfrecord"};
  EXPECT_TRUE(problem().ends_with("train01.tfrecord: record 0"));
}

TEST_F(ImportYoutube8m, EveryChangedByteIsDetected) {
  const std::string whole = read_file(kYoutubeFolder / "youtube8m/train01.tfrecord");
  settings_.train = 2;
  settings_.val = settings_.test = 0;
  EXPECT_EQ(problem_with(whole.substr(0, whole.size() - 1)),
            "x.tfrecord: is truncated inside record 14");
  EXPECT_EQ(problem_with(whole.substr(0, 3)), "x.tfrecord: is truncated inside record 0");
  EXPECT_EQ(problem_with("clip,split,labels\n"),
            "x.tfrecord: is not a TFRecord file: the checksum of the length of record 0 is wrong");
  for (std::size_t i = 0; i < 200; ++i) {
    std::string changed = whole;
    changed[i] ^= 4;
    EXPECT_NE(problem_with(changed).find("checksum"), std::string::npos) << i;
  }
}

TEST_F(ImportYoutube8m, RecordsThatAreNotVideosAreErrors) {
  settings_.train = 1;
  settings_.min_count = 1;
  settings_.val = settings_.test = 0;
  const std::string id = entry("id", 1, message(1, "ab"));
  const std::string labels = entry("labels", 3, message(1, "\x01"));
  const std::string rgb = bytes_of<float>({1, 2});
  const auto with = [&](const std::string& entries) {
    return problem_with(framed(message(1, entries)));
  };
  EXPECT_EQ(problem_with(framed("garbage")),
            "x.tfrecord: record 0: is damaged: not a tf.train.Example");
  EXPECT_EQ(with(labels), "x.tfrecord: record 0: has no id");
  EXPECT_EQ(with(entry("id", 1, message(1, "a\nb"))), "x.tfrecord: record 0: has an invalid id");
  EXPECT_EQ(with(id + labels),
            "x.tfrecord: record 0: has no mean_rgb, expected records at video level");
  EXPECT_EQ(with(id + entry("labels", 3, message(1, std::string(9, '\xff') + "\x01"))),
            "x.tfrecord: record 0: expected labels from 0 to 999999, found -1");
  EXPECT_EQ(with(id + labels + entry("mean_rgb", 2, message(1, "abc"))),
            "x.tfrecord: record 0: is damaged: not a tf.train.Example");
  EXPECT_EQ(with(id + labels + entry("mean_rgb", 2, message(1, bytes_of<float>({1, INFINITY})))),
            "x.tfrecord: record 0: mean_rgb, number 1: expected a finite number, found inf");
  settings_.train = 2;
  const std::string other = entry("id", 1, message(1, "c")) + labels +
                            entry("mean_rgb", 2, message(1, bytes_of<float>({1})));
  const std::string text =
      problem_with(framed(message(1, id + labels + entry("mean_rgb", 2, message(1, rgb)))) +
                   framed(message(1, other)));
  EXPECT_NE(text.find(": mean_rgb: expected "), std::string::npos) << text;
}

// Other writers do not pack numbers.
TEST(TfRecord, NumbersMayBePackedOrNot) {
  const std::string fields = entry("labels", 3, std::string("\x08\x05\x08\x07", 4)) +
                             entry("x", 2, "\x0d" + bytes_of<float>({1.5F})) +
                             entry("y", 2, message(1, bytes_of<float>({2, 3})));
  const std::string record = message(1, fields);
  const TfExample example = parse_example(record, "x");
  EXPECT_EQ(example.at("labels").numbers, (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(example.at("x").float_count(), 1U);
  std::vector<float> floats(2);
  example.at("y").copy_floats(floats.data());
  EXPECT_EQ(floats, (std::vector<float>{2, 3}));
}

TEST(TfRecord, ALengthIsNotBelieved) {
  const std::string length = bytes_of<std::uint64_t>({std::uint64_t{1} << 60});
  const std::string bytes = length + bytes_of<std::uint32_t>({masked_crc32c(length)}) + "abc";
  TfRecordReader reader(bytes, "x");
  const ScratchFolder scratch;
  EXPECT_EQ(error_of(scratch, [&] { reader.next(); }), "x: is truncated inside record 0");
}

}  // namespace
}  // namespace manyverbs
