// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"

namespace manyverbs {

/// The part of the data set that a clip belongs to.
enum class Split { Train, Val, Test };

inline constexpr std::array<Split, 3> kSplits = {Split::Train, Split::Val, Split::Test};
std::string_view split_name(Split split);
/// Throws Error: "expected the split train, val or test, found 'tets', did you mean 'test'?"
Split find_split(std::string_view name);

/// A clip of a data set, by its row in clips.csv and in every feature file; the first row is 0. A
/// position in a list of clips is a plain number: neither converts to the other.
enum class ClipRow : std::int32_t {};
constexpr std::size_t index(ClipRow row) { return static_cast<std::size_t>(row); }
/// The rows 0 to count - 1.
std::vector<ClipRow> first_rows(std::size_t count);

/// One action in a video. Train clips have exactly one label; test clips have all labels that
/// people agreed on. Val clips are either all like train clips or all like test clips, see
/// has_complete_validation().
struct Clip {
  std::string name;
  Split split = Split::Train;
  std::vector<ClassId> labels;
  std::vector<ClassId>
      truth;  ///< ground truth: all true labels if known, otherwise empty; not used for training
  std::string video;            ///< path of the file, or empty
  std::optional<double> start;  ///< in seconds
  std::optional<double> stop;
  /// The original single label of a test or val clip, before several people annotated it. See
  /// original_label().
  std::optional<ClassId> original = std::nullopt;
  /// The first and the last frame of the clip, both included, instead of times: the numbers in the
  /// names of a folder of images; the first frame of a video file is 1.
  std::optional<int> start_frame = std::nullopt;
  std::optional<int> stop_frame = std::nullopt;
  /// Frames per second of a folder or tar file of images, which has no times of its own.
  std::optional<double> frame_rate = std::nullopt;
  std::string flow = {};  ///< path of given flow images of the video, or empty

  bool operator==(const Clip&) const = default;
};

/// Whether the val clips have all labels that apply: at least one of them has several labels.
/// Otherwise they have one label each, and more labels may apply.
bool has_complete_validation(const std::vector<Clip>& clips);

/// The original label: `original` if known, otherwise the only label. Nothing for a clip with
/// several labels and no known original. Labels {cut, peel} with original peel: peel; labels {cut}:
/// cut; labels {cut, peel}: nothing.
std::optional<ClassId> original_label(const Clip& clip);

/// What to do if the video of a clip cannot be read.
enum class OnError { Stop, Skip };
/// Throws Error: "expected stop or skip, found 'skp', did you mean 'skip'?"
OnError find_on_error(std::string_view name);

/// A clip whose video cannot be read.
struct ClipProblem {
  ClipRow clip{};
  std::string what;  ///< file and reason
};

/// clips.csv: clip,split,labels[,original][,truth][,video][,start,stop][,start_frame,stop_frame]
/// [,frame_rate][,flow]. Throws Error with file and line for an unknown class or split, a duplicate
/// clip, a train clip without exactly one label or with a different original, another clip without
/// a label, an invalid time or frame number, or both times and frame numbers.
std::vector<Clip> read_clips(const std::filesystem::path& path, const Vocabulary& classes);
/// Writes optional columns only if a clip has a value in them.
void write_clips(const std::filesystem::path& path, const std::vector<Clip>& clips,
                 const Vocabulary& classes);

/// The classes in the columns labels, original and truth of a clips.csv, sorted.
Vocabulary classes_in_clips(const std::filesystem::path& path);

/// "cut;peel" of {0, 1}.
std::string join_labels(const std::vector<ClassId>& labels, const Vocabulary& classes);

}  // namespace manyverbs
