// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/chosen_pictures.h"

#include <algorithm>
#include <limits>
#include <set>

#include "manyverbs/decoding/internal/picture_source.h"
#include "manyverbs/decoding/internal/timeline.h"
#include "manyverbs/decoding/internal/video_file.h"

namespace manyverbs {
namespace {

// By how many frames the number in the header may be wrong without decoding again: containers that
// store a duration round it.
constexpr std::int64_t kTolerance = 2;

std::set<int> possible_positions(const PictureChoice& choice, std::int64_t announced) {
  std::set<int> positions;
  for (std::int64_t n = announced - kTolerance; n <= announced + kTolerance; ++n) {
    if (n < 1 || n > std::numeric_limits<int>::max()) continue;
    const std::vector<int> chosen = choice.positions(static_cast<int>(n));
    positions.insert(chosen.begin(), chosen.end());
  }
  return positions;
}

// Drops the frames that are not selected; returns false if a selected one is missing.
bool keep_only(const std::vector<int>& wanted, std::map<int, Image>* pictures) {
  const std::set<int> positions(wanted.begin(), wanted.end());
  std::erase_if(*pictures, [&](const auto& entry) { return !positions.contains(entry.first); });
  return pictures->size() == positions.size();
}

std::map<int, Image> read_positions(const ClipFrames& clip, const PictureChoice& choice) {
  const std::vector<int> positions = choice.positions(clip.count);
  const std::vector<Image> images = read_frames(clip, positions, choice.format);
  std::map<int, Image> pictures;
  for (std::size_t i = 0; i < positions.size(); ++i) pictures[positions[i]] = images[i];
  return pictures;
}

}  // namespace

ChosenPictures read_chosen_pictures(const std::filesystem::path& path,
                                    std::span<const PictureChoice> choices) {
  ChosenPictures chosen;
  chosen.pictures.resize(choices.size());
  ClipFrames clip;
  if (holds_pictures(path)) {
    clip = find_frames(path);
  } else {
    VideoFile video(path);
    std::vector<std::set<int>> possible;
    for (const PictureChoice& choice : choices) {
      possible.push_back(possible_positions(choice, video.announced_frames()));
    }
    const auto keep = [&](int position) {
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (!possible[i].contains(position)) continue;
        video.picture(choices[i].format, &chosen.pictures[i][position]);
      }
    };
    clip.path = path;
    clip.count = static_cast<int>(decoding_internal::pass_over(&video, path, keep).times.size());
  }
  chosen.frames = clip.count;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!keep_only(choices[i].positions(clip.count), &chosen.pictures[i])) {
      chosen.pictures[i] = read_positions(clip, choices[i]);
    }
  }
  return chosen;
}

}  // namespace manyverbs
