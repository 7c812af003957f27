// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/vocabulary.h"

namespace manyverbs {

/// What a clip is for.
enum class Split { Train, Val, Test };

inline constexpr std::array<Split, 3> kSplits = {Split::Train, Split::Val, Split::Test};
std::string_view split_name(Split split);
/// Throws Error with the nearest spelling: "no split 'tets', did you mean 'test'?"
Split find_split(std::string_view name);

/// One action in a video. Train and val clips carry exactly one label, the one somebody wrote down;
/// test clips carry every label that people agreed on.
struct Clip {
  std::string name;
  Split split = Split::Train;
  std::vector<ClassId> labels;
  std::vector<ClassId>
      truth;          ///< all true labels where they are known, else empty; not for training
  std::string video;  ///< a file, or empty
  std::optional<double> start;  ///< seconds into the video
  std::optional<double> stop;
  /// Of a test clip: the one label that it had before several people judged it. See
  /// original_label().
  std::optional<ClassId> original = std::nullopt;

  bool operator==(const Clip&) const = default;
};

/// The one label that somebody gave the clip first: `original` where it is known, else the only
/// label. Nothing for a test clip with several labels, none of which is known to be the original.
/// Labels {cut, peel} with original peel: peel; labels {cut}: cut; labels {cut, peel}: nothing.
std::optional<ClassId> original_label(const Clip& clip);

/// clips.csv: clip,split,labels[,original][,truth][,video][,start,stop]. Throws Error with file and
/// line for an unknown class or split, a clip named twice, a training clip without exactly one
/// label or with an original that is another label, a test clip without any label, or times that do
/// not make sense.
std::vector<Clip> read_clips(const std::filesystem::path& path, const Vocabulary& classes);
/// Writes the optional columns only where some clip has them.
void write_clips(const std::filesystem::path& path, const std::vector<Clip>& clips,
                 const Vocabulary& classes);

/// The classes that the columns labels, original and truth of a clips.csv name, sorted.
Vocabulary classes_in_clips(const std::filesystem::path& path);

/// "cut;peel" of {0, 1}.
std::string join_labels(const std::vector<ClassId>& labels, const Vocabulary& classes);

}  // namespace manyverbs
