// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace manyverbs {

/// Curves that TensorBoard draws while they grow: `tensorboard --logdir runs`.
///
/// A file is a row of TFRecords, each an Event of TensorFlow's event.proto. It opens with the
/// version and with a session start at its first step: where a killed run went on, TensorBoard lets
/// the newer file's points replace the older one's from that step on.

/// One point of a curve at some step.
struct Scalar {
  std::string tag;  ///< "loss/train": TensorBoard groups by what stands before the slash
  double value;
};

/// Seconds since 1970, now.
double wall_time();

class EventFile {
 public:
  /// Nothing is written before the first append.
  explicit EventFile(std::filesystem::path folder, std::function<double()> clock = wall_time);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Adds the points of a step, as a whole and at once; one that is NaN is left out. The first call
  /// makes events.out.tfevents.SECONDS.HOST.PID.N, whose name sorts behind those in the folder, for
  /// TensorBoard reads them in that order. Throws Error that names the file.
  void append(std::int64_t step, const std::vector<Scalar>& scalars);

 private:
  void open(double time);

  std::filesystem::path folder_;
  std::filesystem::path path_;
  std::function<double()> clock_;
  int descriptor_ = -1;
};

}  // namespace manyverbs
