// SPDX-License-Identifier: MIT
#include "manyverbs/dataset/internal/youtube8m.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "manyverbs/dataset/array_file.h"
#include "manyverbs/dataset/internal/class_list.h"
#include "manyverbs/dataset/internal/tfrecord.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/display.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

constexpr std::int64_t kMostClasses8m = 1'000'000;

// A video in the records.
struct Video {
  std::string id;
  std::vector<ClassId> labels;  // ids of YouTube-8M, sorted
  std::string_view record;
  std::size_t file = 0;
  std::int64_t number = 0;  // of the record in its file
};

// All records; features stay in the mapped files.
class Records {
 public:
  explicit Records(const std::vector<std::filesystem::path>& places) {
    for (const std::filesystem::path& place : places) add_files(place);
    Progress progress("records", static_cast<std::int64_t>(files_.size()));
    for (std::size_t i = 0; i < files_.size(); ++i) {
      read(i);
      progress.advance(1);
    }
  }

  std::vector<Video>& videos() { return videos_; }
  std::string place(const Video& video) const {
    return fmt::format("{}: record {}", files_[video.file].string(), video.number);
  }

 private:
  void add_files(const std::filesystem::path& place) {
    if (!std::filesystem::is_directory(place)) return files_.push_back(place);
    const std::size_t before = files_.size();
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (entry.path().extension() == ".tfrecord") files_.push_back(entry.path());
    }
    if (files_.size() == before) throw Error("{}: has no files *.tfrecord", place.string());
    std::sort(files_.begin() + static_cast<std::ptrdiff_t>(before), files_.end());
  }

  void read(std::size_t file) {
    maps_.emplace_back(files_[file]);
    const auto bytes = maps_.back().bytes();
    TfRecordReader reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                          files_[file].string());
    for (;;) {
      stop_if_interrupted();
      const std::int64_t number = reader.count();
      const auto record = reader.next();
      if (!record) break;
      Video video{"", {}, *record, file, number};
      read_labels(&video);
      const auto [earlier, is_new] = video_of_.emplace(video.id, videos_.size());
      if (!is_new) {
        throw Error("{}: the video '{}' is repeated, see {}", place(video), printable(video.id),
                    place(videos_[earlier->second]));
      }
      videos_.push_back(std::move(video));
    }
  }

  // The first release called the id "video_id".
  void read_labels(Video* video) const {
    const std::string where = place(*video);
    TfExample example = parse_example(video->record, where);
    const TfFeature& id = example[example.contains("id") ? "id" : "video_id"];
    if (id.texts.size() != 1 || id.texts[0].empty()) throw Error("{}: has no id", where);
    video->id = id.texts[0];
    if (printable(video->id) != video->id) throw Error("{}: has an invalid id", where);
    for (const std::int64_t label : example["labels"].numbers) {
      if (label < 0 || label >= kMostClasses8m) {
        throw Error("{}: expected labels from 0 to {}, found {}", where, kMostClasses8m - 1, label);
      }
      video->labels.push_back(static_cast<ClassId>(label));
    }
    std::sort(video->labels.begin(), video->labels.end());
    video->labels.erase(std::unique(video->labels.begin(), video->labels.end()),
                        video->labels.end());
  }

  std::vector<std::filesystem::path> files_;
  std::vector<MappedFile> maps_;
  std::vector<Video> videos_;
  std::unordered_map<std::string, std::size_t> video_of_;
};

// Gives the remaining classes new ids, and removes the others from the videos.
class ClassSelection {
 public:
  ClassSelection(const Youtube8mImport& settings, std::vector<Video>* videos) {
    std::map<ClassId, int> counts;
    for (const Video& video : *videos) {
      for (const ClassId label : video.labels) ++counts[label];
    }
    std::map<ClassId, ClassId> new_id;
    for (const auto& [label, count] : counts) {
      if (count < settings.min_count) continue;
      new_id.emplace(label, static_cast<ClassId>(kept_.size()));
      kept_.push_back(label);
    }
    left_out_ = static_cast<int>(counts.size() - kept_.size());
    for (Video& video : *videos) {
      std::vector<ClassId> labels;
      for (const ClassId label : video.labels) {
        const auto found = new_id.find(label);
        if (found != new_id.end()) labels.push_back(found->second);
      }
      video.labels = std::move(labels);
    }
  }

  int left_out() const { return left_out_; }

  // Some published names are empty or occur twice, and ';' separates labels.
  Vocabulary vocabulary(const std::filesystem::path& path) const {
    std::map<ClassId, std::string> given;
    if (!path.empty()) given = read_class_list(path);
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const ClassId label : kept_) {
      std::string name = std::to_string(label);
      if (!path.empty()) {
        const auto found = given.find(label);
        if (found == given.end()) throw Error("{}: has no class {}", path.string(), label);
        name = found->second.empty() ? fmt::format("class {}", label) : found->second;
        std::replace(name.begin(), name.end(), ';', ',');
      }
      if (taken.contains(name)) name += fmt::format(" ({})", label);
      taken.insert(name);
      names.push_back(std::move(name));
    }
    return Vocabulary(std::move(names));
  }

 private:
  std::vector<ClassId> kept_;
  int left_out_ = 0;
};

// Shuffled, and as many as wanted.
std::vector<Video> chosen_videos(const Youtube8mImport& settings, std::vector<Video> videos,
                                 Random* random) {
  const std::int64_t wanted = settings.train + settings.val + settings.test;
  if (static_cast<std::int64_t>(videos.size()) < wanted) {
    throw Error(
        "expected {} videos ({} train, {} val, {} test), found {} with a label of a class "
        "that has at least {} videos",
        wanted, settings.train, settings.val, settings.test, videos.size(), settings.min_count);
  }
  random->shuffle(std::span<Video>(videos));
  videos.resize(static_cast<std::size_t>(wanted));
  return videos;
}

std::vector<Clip> labelled_clips(const Youtube8mImport& settings, const std::vector<Video>& videos,
                                 Random* random) {
  std::vector<Clip> clips;
  for (const Video& video : videos) {
    const auto position = static_cast<std::int64_t>(clips.size());
    Clip clip;
    clip.name = video.id;
    clip.split = position < settings.train                  ? Split::Train
                 : position < settings.train + settings.val ? Split::Val
                                                            : Split::Test;
    clip.truth = video.labels;
    clip.labels = video.labels;
    if (clip.split != Split::Test) clip.labels = {video.labels[random->below(video.labels.size())]};
    clips.push_back(std::move(clip));
  }
  return clips;
}

// Writes one of the features of all videos; nothing if the first has none. Returns the columns.
std::size_t write_stream(const Records& records, const std::vector<Video>& videos,
                         const std::string& feature, const std::filesystem::path& npy) {
  const auto floats = [&](const Video& video) {
    return parse_example(video.record, records.place(video))[feature];
  };
  const std::size_t columns = floats(videos.front()).float_count();
  if (columns == 0) return 0;
  ArrayWriter writer(npy, NumberType::Float32, videos.size(), columns);
  std::vector<float> row(columns);
  Progress progress(feature, static_cast<std::int64_t>(videos.size()));
  for (const Video& video : videos) {
    stop_if_interrupted();
    const TfFeature found = floats(video);
    if (found.float_count() != columns) {
      throw Error("{}: {}: expected {} numbers, found {}", records.place(video), feature, columns,
                  found.float_count());
    }
    found.copy_floats(row.data());
    const auto bad =
        std::find_if(row.begin(), row.end(), [](float x) { return !std::isfinite(x); });
    if (bad != row.end()) {
      throw Error("{}: {}, number {}: expected a finite number, found {}", records.place(video),
                  feature, bad - row.begin(), *bad);
    }
    writer.write(row.data(), columns);
    progress.advance(1);
  }
  writer.commit();
  return columns;
}

}  // namespace

Youtube8mImported import_youtube8m(const Youtube8mImport& settings) {
  FolderWriter out(settings.out);
  Records records(settings.records);
  std::vector<Video>& videos = records.videos();
  Youtube8mImported result;
  result.videos = static_cast<std::int64_t>(videos.size());
  const ClassSelection classes(settings, &videos);
  result.left_out = classes.left_out();
  result.unlabelled =
      std::erase_if(videos, [](const Video& video) { return video.labels.empty(); });
  Random random(settings.seed);
  const std::vector<Video> chosen = chosen_videos(settings, std::move(videos), &random);
  Dataset& dataset = result.dataset;
  dataset.folder = settings.out;
  dataset.name = folder_name(settings.out);
  dataset.classes = classes.vocabulary(settings.classes);
  dataset.clips = labelled_clips(settings, chosen, &random);
  write_dataset(out.path(), dataset);
  std::filesystem::create_directory(out.path() / "features");
  for (const std::string stream : {"audio", "rgb"}) {
    const std::size_t columns = write_stream(records, chosen, "mean_" + stream,
                                             out.path() / "features" / (stream + ".npy"));
    if (columns > 0) result.streams.emplace_back(stream, columns);
  }
  if (result.streams.empty()) {
    throw Error("{}: has no mean_rgb, expected records at video level",
                records.place(chosen.front()));
  }
  out.commit();
  return result;
}

}  // namespace manyverbs
