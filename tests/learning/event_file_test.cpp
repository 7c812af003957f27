// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/event_file.h"

#include <cmath>
#include <regex>

#include "manyverbs/support/internal/csv.h"
#include "tests/learning/events.h"
#include "tests/learning/golden.h"
#include "tests/learning/toy.h"
#include "tests/one_thread.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

using Points = std::vector<std::pair<std::int64_t, float>>;

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// A constant clock.
std::function<double()> at(double seconds) {
  return [seconds] { return seconds; };
}

TEST(EventFile, HasTheBytesOfTheSpecifications) {
  for (const Json& golden : read_golden("event_file")) {
    const ScratchFolder scratch;
    double now = 0;
    EventFile file(scratch.path(), [&now] { return now; });
    for (const Json& step : golden["steps"]) {
      now = step["time"];
      std::vector<Scalar> scalars;
      for (const Json& scalar : step["scalars"]) {
        scalars.push_back({scalar["tag"], scalar["value"]});
      }
      file.append(step["step"], scalars);
    }
    const auto files = event_files(scratch.path());
    ASSERT_EQ(files.size(), 1);
    EXPECT_EQ(read_file(files[0]), bytes_of(golden["bytes"])) << golden["steps"];
  }
}

TEST(EventFile, StartsWithTheVersionAndASessionStart) {
  const ScratchFolder scratch;
  EventFile(scratch.path(), at(1700000000.5)).append(7, {{"loss/train", 0.5}});
  const auto events = read_events(event_files(scratch.path()).at(0));
  ASSERT_EQ(events.size(), 3);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_TRUE(events[1].start);
  EXPECT_EQ(events[1].step, 7);
  EXPECT_EQ(events[2].step, 7);
  EXPECT_EQ(events[2].time, 1700000000.5);
  EXPECT_EQ(events[2].scalars, (std::map<std::string, float>{{"loss/train", 0.5F}}));
}

TEST(EventFile, IsCreatedByTheFirstAppend) {
  const ScratchFolder scratch;
  { const EventFile file(scratch.path()); }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(EventFile, CanBeReadAfterEachAppend) {
  const ScratchFolder scratch;
  EventFile file(scratch.path());
  file.append(1, {{"a", 1}});
  EXPECT_EQ(curve(scratch.path(), "a"), (Points{{1, 1}}));
  file.append(2, {{"a", 4}});
  EXPECT_EQ(curve(scratch.path(), "a"), (Points{{1, 1}, {2, 4}}));
}

TEST(EventFile, IgnoresNan) {
  const ScratchFolder scratch;
  EventFile file(scratch.path());
  file.append(1, {{"a", NAN}, {"b", 0}});
  EXPECT_EQ(curve(scratch.path(), "a"), Points{});
  EXPECT_EQ(curve(scratch.path(), "b"), (Points{{1, 0}}));
}

TEST(EventFile, IsNamedAsTensorBoardExpects) {
  const ScratchFolder scratch;
  EventFile(scratch.path(), at(1700000000.9)).append(1, {});
  EXPECT_TRUE(std::regex_match(scratch.names().at(0),
                               std::regex(R"(events\.out\.tfevents\.1700000000\..+\.\d+\.0)")))
      << scratch.names()[0];
}

// By a process that starts in the same second, or after the clock was set back.
TEST(EventFile, ANewFileSortsAfterTheOldOnesAndReplacesTheirPoints) {
  const ScratchFolder scratch;
  scratch.write("events.out.tfevents.of-another-kind", "");
  EventFile first(scratch.path(), at(1700000000));
  for (const int step : {1, 2, 3}) first.append(step, {{"a", 1.0 * step}});
  EventFile(scratch.path(), at(1700000000)).append(3, {{"a", 30}});
  EventFile(scratch.path(), at(1600000000)).append(2, {{"a", 200}});
  EXPECT_EQ(curve(scratch.path(), "a"), (Points{{1, 1}, {2, 200}}));
}

TEST(EventFile, ATruncatedRecordLosesOnlyItself) {
  const ScratchFolder scratch;
  EventFile file(scratch.path());
  for (const int step : {1, 2, 3}) file.append(step, {{"a", 1.0 * step}});
  const auto path = event_files(scratch.path()).at(0);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  EXPECT_EQ(curve(scratch.path(), "a"), (Points{{1, 1}, {2, 2}}));
  EventFile(scratch.path()).append(3, {{"a", 3}});
  EXPECT_EQ(curve(scratch.path(), "a"), (Points{{1, 1}, {2, 2}, {3, 3}}));
}

TEST(EventFile, AFullDiskIsAnErrorWithTheFile) {
  const ScratchFolder scratch;
  EventFile file(scratch.path());
  file.append(1, {{"a", 1}});
  const auto path = event_files(scratch.path()).at(0);
  const FullDisk disk(std::filesystem::file_size(path) + 10);
  EXPECT_EQ(error_of(scratch,
                     [&] {
                       file.append(2, {{"a", 2}});
                     }),
            path.filename().string() + ": cannot be written: File too large");
  EXPECT_EQ(curve(scratch.path(), "a"), (Points{{1, 1}}));
}

// A column of log.csv, as TensorBoard stores numbers.
Points logged(const std::filesystem::path& folder, const std::string& column) {
  const CsvTable log = read_csv(folder / "log.csv");
  Points points;
  for (const CsvRow& row : log.rows) {
    points.emplace_back(std::stoi(row.fields[log.column("epoch")]),
                        static_cast<float>(std::stod(row.fields[log.column(column)])));
  }
  return points;
}

void expect_curves_of_the_log(const std::filesystem::path& folder) {
  EXPECT_EQ(curve(folder, "loss/train"), logged(folder, "train_loss"));
  EXPECT_EQ(curve(folder, "loss/validation"), logged(folder, "validation_loss"));
  EXPECT_EQ(curve(folder, "validation/accuracy"), logged(folder, "accuracy"));
}

TEST(EventFile, OfATrainingEqualsItsLog) {
  const ScratchFolder scratch;
  const Toy toy;
  train(toy.data, toy_settings(), toy.scorer(), scratch.path());
  EXPECT_EQ(logged(scratch.path(), "accuracy").size(), 15);
  expect_curves_of_the_log(scratch.path());
  train(toy.data, toy_settings(), toy.scorer(), scratch.path());
  EXPECT_EQ(event_files(scratch.path()).size(), 1);
}

// Three epochs are repeated, as after a kill between checkpoints.
TEST(EventFile, OfAResumedTrainingEqualsItsLog) {
  const ScratchFolder scratch;
  const Toy toy;
  RunSettings settings = toy_settings();
  settings.checkpoint_seconds = 0;
  EpochScorer scorer = toy.scorer();
  int epoch = 0;
  std::string old_checkpoint;
  scorer.measure = [&, measure = scorer.measure](const Matrix<float>& probabilities) {
    if (++epoch == 5) old_checkpoint = read_file(scratch / "checkpoint.safetensors");
    if (epoch == 8) throw Error("the end");
    return measure(probabilities);
  };
  EXPECT_EQ(error_of(scratch, [&] { train(toy.data, settings, scorer, scratch.path()); }),
            "the end");
  EXPECT_EQ(curve(scratch.path(), "loss/train").size(), 7);
  write_file(scratch / "checkpoint.safetensors", old_checkpoint);
  train(toy.data, settings, toy.scorer(), scratch.path());
  const auto files = event_files(scratch.path());
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(read_events(files[1]).at(1).step, 5);
  expect_curves_of_the_log(scratch.path());
}

}  // namespace
}  // namespace manyverbs
