// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/epic_folders.h"

#include <vector>

#include <fmt/format.h>

namespace manyverbs {
namespace {

std::string participant_of(const std::string& video) { return video.substr(0, video.find('_')); }

}  // namespace

EpicFolders::EpicFolders(std::filesystem::path root, std::string kind)
    : root_(std::move(root)), kind_(std::move(kind)) {}

std::string EpicFolders::find(const std::string& video) {
  const std::string person = participant_of(video);
  std::vector<std::string> places = {
      fmt::format("{}/{}_frames/{}", person, kind_, video),
      fmt::format("{}/train/{}/{}", kind_, person, video),
      fmt::format("{}/test/{}/{}", kind_, person, video),
      fmt::format("{}/{}/{}", kind_, person, video),
      fmt::format("{}/{}", kind_, video),
  };
  if (kind_ == "rgb") places.insert(places.end(), {person + "/" + video, video});
  const std::size_t choices = 2 * places.size();
  for (std::size_t i = 0; i < choices; ++i) {
    const std::size_t choice = (last_ + i) % choices;
    const std::string ending = choice % 2 == 0 ? "" : ".tar";
    const std::filesystem::path path = root_ / (places[choice / 2] + ending);
    if (!std::filesystem::exists(path)) continue;
    last_ = choice;
    return path.string();
  }
  return "";
}

std::string EpicFolders::expected(const std::string& video) const {
  return (root_ / fmt::format("{}/{}_frames/{}", participant_of(video), kind_, video)).string();
}

double epic_frame_rate(const std::string& video) {
  constexpr std::size_t kDigitsOfExtension = 3;
  const std::size_t number = video.rfind('_') + 1;
  return video.size() - number == kDigitsOfExtension ? 50 : 60;
}

std::string epic_video(const std::filesystem::path& root, const std::string& video) {
  const std::string person = participant_of(video);
  const std::string file = video + ".MP4";
  for (const std::string& folder : {std::string("."), person + "/videos", person,
                                    "videos/train/" + person, "videos/test/" + person}) {
    const std::filesystem::path path = (root / folder / file).lexically_normal();
    if (std::filesystem::exists(path)) return path.string();
  }
  return (root / file).string();
}

}  // namespace manyverbs
