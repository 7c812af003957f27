// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace manyverbs {

/// Training curves for TensorBoard: `tensorboard --logdir runs`.
///
/// A file is a sequence of TFRecords, each an Event of TensorFlow's event.proto. It starts with the
/// version and a session start at its first step: if a killed run resumed, TensorBoard replaces the
/// points of the older file from that step on.

/// A point of a curve.
struct Scalar {
  std::string tag;  ///< "loss/train": TensorBoard groups by the part before the slash
  double value;
};

/// The current time in seconds since 1970.
double wall_time();

class EventFile {
 public:
  /// The file is created by the first append().
  explicit EventFile(std::filesystem::path folder, std::function<double()> clock = wall_time);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Writes the points of a step in one call; NaN values are skipped. The first call creates
  /// events.out.tfevents.SECONDS.HOST.PID.N, whose name sorts after the existing ones, because
  /// TensorBoard reads files in that order. Throws Error if the file cannot be written.
  void append(std::int64_t step, const std::vector<Scalar>& scalars);

 private:
  void open(double time);

  std::filesystem::path folder_;
  std::filesystem::path path_;
  std::function<double()> clock_;
  int descriptor_ = -1;
};

}  // namespace manyverbs
