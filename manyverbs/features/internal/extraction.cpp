// SPDX-License-Identifier: MIT
#include "manyverbs/features/internal/extraction.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "manyverbs/features/internal/feature_recipe.h"
#include "manyverbs/features/internal/folded_tsm.h"
#include "manyverbs/features/internal/row_store.h"
#include "manyverbs/features/internal/shared_rows.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

constexpr const char* kDefaultBackbone = "resnet50";
constexpr int kDefaultSize = 224;

std::string clips_stamp(const Dataset& dataset) {
  std::string text;
  for (const Clip& clip : dataset.clips) {
    text += fmt::format("{}\n{} {} {}\n", clip.name, clip.video, clip.start.value_or(-1),
                        clip.stop.value_or(-1));
    if (clip.start_frame || clip.stop_frame) {
      text += fmt::format("{} {}\n", clip.start_frame.value_or(-1), clip.stop_frame.value_or(-1));
    } else if (clip.frame_rate) {
      text += fmt::format("{}\n", *clip.frame_rate);
    }
  }
  return text_hash(text);
}

FeatureRecipe recipe_for(const Dataset& dataset, const PreparedBackbone& backbone,
                         const ExtractionSettings& settings) {
  FeatureRecipe recipe;
  recipe.backbone = settings.backbone;
  if (!settings.backbone.weights.empty()) {
    recipe.weights_hash = content_hash(settings.backbone.weights);
  }
  const int usual_size = backbone.size > 0 ? backbone.size : kDefaultSize;
  recipe.size = settings.size > 0 ? settings.size : usual_size;
  recipe.released = settings.released;
  recipe.type = settings.type;
  if (settings.backbone.stream == Stream::Flow) recipe.flow = flow_settings(dataset);
  return recipe;
}

// Everything that the features depend on: the content of the .json file.
Json record_of(const Dataset& dataset, const FeatureRecipe& recipe,
               const PreparedBackbone& backbone) {
  Json record = to_json(recipe, backbone);
  record["clips"] = dataset.clips.size();
  record["clips_stamp"] = clips_stamp(dataset);
  return record;
}

// The part of the record that identifies how features are made. Weights are identified by content,
// not by path.
Json identity_of(Json record) {
  for (const char* key : {"weights", "skipped", "contents"}) record.erase(key);
  return record;
}

std::filesystem::path record_path(std::filesystem::path file) {
  return file.replace_extension(".json");
}
std::filesystem::path partial_path(std::filesystem::path file) {
  return file.replace_extension(".partial");
}

// The content hash of the video of each clip; "" if unknown.
std::vector<std::string> contents_of(const Dataset& dataset, Stream stream) {
  std::vector<std::string> contents(dataset.clips.size());
  if (stream == Stream::Rgb) {
    const FrameIndex index = index_frames(dataset, OnError::Skip);
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (index.clips[i]) contents[i] = index.clips[i]->content;
    }
    return contents;
  }
  return index_flow(dataset, OnError::Skip).contents;
}

// The rows that were computed from the current videos. Features of missing videos stay valid.
std::vector<bool> current_rows(const Dataset& dataset, Stream stream,
                               const std::set<std::string>& skipped,
                               const std::vector<std::string>& then) {
  const std::vector<std::string> now = contents_of(dataset, stream);
  std::vector<bool> rows(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool is_same = now[i].empty() || (i < then.size() && then[i] == now[i]);
    rows[i] = is_same && !skipped.contains(dataset.clips[i].name);
  }
  return rows;
}

// The valid rows of a file with this record: all except those of clips that were skipped or whose
// video has changed; none if there is no file. Throws if the file has another record.
std::vector<bool> valid_rows(const Dataset& dataset, const std::filesystem::path& file,
                             const Json& record, const ExtractionSettings& settings) {
  std::vector<bool> rows(dataset.clips.size(), false);
  if (!std::filesystem::exists(file)) return rows;
  if (std::filesystem::exists(record_path(file))) {
    const Json found = read_json(record_path(file));
    const auto skipped = found.value("skipped", std::set<std::string>());
    const auto contents = found.value("contents", std::vector<std::string>());
    if (identity_of(found) == identity_of(record)) {
      return current_rows(dataset, settings.backbone.stream, skipped, contents);
    }
  } else if (std::filesystem::exists(partial_path(file))) {
    return rows;  // a call was killed between the file and its record
  }
  if (settings.replace) return rows;
  throw Error("{}: exists and was made with other settings; --replace overwrites it",
              file.string());
}

std::filesystem::path partial_contents(const std::filesystem::path& partial) {
  return partial.string() + ".json";
}

// Drops the rows of an interrupted call whose videos have changed since.
void forget_replaced(const std::filesystem::path& note, const std::vector<std::string>& contents,
                     RowStore* store) {
  if (std::filesystem::exists(note)) {
    const Json then = read_json(note);
    for (std::size_t i = 0; i < contents.size() && i < then.size(); ++i) {
      if (!contents[i].empty() && then[i] != contents[i]) store->forget(i);
    }
  }
  write_json(note, contents);
}

// Copies the valid rows of a file.
void take_rows(const std::filesystem::path& file, const std::vector<bool>& valid,
               std::size_t row_bytes, RowStore* store) {
  if (std::find(valid.begin(), valid.end(), true) == valid.end()) return;
  const ArrayFile array(file);
  if (array.rows() != valid.size() || array.columns() * byte_size(array.type()) != row_bytes) {
    throw Error("{}: does not match its record {}; remove both to compute it again", file.string(),
                record_path(file).filename().string());
  }
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] && !store->has(i)) store->put(i, array.data() + i * row_bytes);
  }
}

// Decodes and computes batches of clips on the calling thread.
class Extraction {
 public:
  Extraction(const ClipSource& source, const FoldedTsm& network, NumberType type, OnError on_error,
             RowStore* store)
      : source_(source), network_(network), type_(type), on_error_(on_error), store_(store) {}

  void compute(std::span<const ClipRow> clips) {
    at::set_num_threads(num_threads());  // otherwise LibTorch uses all cores per thread
    std::vector<ClipRow> read;
    std::vector<at::Tensor> tensors;
    for (const ClipRow clip : clips) {
      try {
        tensors.push_back(source_.test_clip(clip));
        read.push_back(clip);
      } catch (const Error& problem) {
        if (on_error_ == OnError::Stop) throw;
        const std::lock_guard lock(mutex_);
        problems_.push_back({clip, problem.what()});
      }
    }
    if (tensors.empty()) return;
    const at::Tensor frames = tensors.size() == 1 ? tensors.front() : at::cat(tensors);
    const at::Tensor features = network_.features(frames)
                                    .to(type_ == NumberType::Float16 ? at::kHalf : at::kFloat)
                                    .contiguous();
    const auto row_bytes = features.size(1) * static_cast<std::int64_t>(features.element_size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      store_->put(index(read[i]), static_cast<const char*>(features.data_ptr()) + i * row_bytes);
    }
  }

  const std::vector<ClipProblem>& problems() const { return problems_; }

 private:
  const ClipSource& source_;
  const FoldedTsm& network_;
  NumberType type_;
  OnError on_error_;
  RowStore* store_;
  std::mutex mutex_;
  std::vector<ClipProblem> problems_;
};

void write_features(const std::filesystem::path& file, const RowStore& store, NumberType type,
                    std::size_t rows, std::size_t columns) {
  remove_leftovers(file.parent_path());
  ArrayWriter writer(file, type, rows, columns);
  for (std::size_t i = 0; i < rows; ++i) writer.write(store.row(i).data(), columns);
  writer.commit();
}

// Computes the missing rows and returns the problems of unreadable clips.
std::vector<ClipProblem> fill_store(const ClipSource& source, const FoldedTsm& network,
                                    const std::vector<ClipRow>& missing,
                                    const ExtractionSettings& settings, RowStore* store) {
  Extraction extraction(source, network, settings.type, settings.on_error, store);
  Progress progress(fmt::format("{} features", stream_name(settings.backbone.stream)),
                    static_cast<std::int64_t>(missing.size()));
  const auto batch = static_cast<std::size_t>(settings.batch);
  const int threads = num_threads();
  std::atomic<bool> stopped = false;
  const auto compute_batch = [&](std::size_t i) {
    if (stopped) return;
    const std::size_t begin = i * batch;
    const auto clips = std::span(missing).subspan(begin, std::min(batch, missing.size() - begin));
    try {
      extraction.compute(clips);
    } catch (...) {
      stopped = true;
      throw;
    }
    progress.advance(std::ssize(clips));
  };
  try {
    side_by_side((missing.size() + batch - 1) / batch, threads, compute_batch);
  } catch (const Interrupted&) {
    throw Interrupted(
        fmt::format("the features of {} of {} clips are saved", store->count(), store->rows()));
  }
  at::set_num_threads(threads);
  return extraction.problems();
}

// Computes the missing rows and writes the file and its record. The old record is removed before
// the file is written and the new one is written after, so a record never belongs to another file.
void complete_features(const Dataset& dataset, const ClipSource& source,
                       const PreparedBackbone& backbone, const ExtractionSettings& settings,
                       const std::vector<bool>& valid, Json record, ExtractionReport* report) {
  const std::size_t row_bytes = report->columns * byte_size(settings.type);
  std::filesystem::create_directories(report->file.parent_path());
  const std::vector<std::string> contents = contents_of(dataset, settings.backbone.stream);
  RowStore store(partial_path(report->file), text_hash(identity_of(record).dump()), valid.size(),
                 row_bytes);
  forget_replaced(partial_contents(partial_path(report->file)), contents, &store);
  take_rows(report->file, valid, row_bytes, &store);
  take_shared_rows(dataset, report->file.filename(), record, contents, row_bytes, &store);
  std::vector<ClipRow> missing;
  for (const ClipRow row : first_rows(valid.size())) {
    if (store.has(index(row))) {
      ++report->kept;
    } else if (source.has(row)) {
      missing.push_back(row);
    }
  }
  std::erase_if(report->problems, [&](const ClipProblem& p) { return store.has(index(p.clip)); });
  const FoldedTsm network(backbone.tsm);
  const auto found = fill_store(source, network, missing, settings, &store);
  report->computed = static_cast<int>(missing.size() - found.size());
  report->problems.insert(report->problems.end(), found.begin(), found.end());
  std::sort(report->problems.begin(), report->problems.end(),
            [](const auto& a, const auto& b) { return a.clip < b.clip; });
  record["contents"] = contents;
  record["skipped"] = Json::array();
  for (const ClipProblem& problem : report->problems) {
    record["skipped"].push_back(dataset.clip(problem.clip).name);
  }
  std::filesystem::remove(record_path(report->file));
  write_features(report->file, store, settings.type, valid.size(), report->columns);
  write_json(record_path(report->file), record);
  std::filesystem::remove(partial_path(report->file));
  std::filesystem::remove(partial_contents(partial_path(report->file)));
}

}  // namespace

ClipSettings clip_settings(const PreparedBackbone& backbone, Stream stream, int size,
                           bool released) {
  ClipSettings clips;
  clips.input = input_settings(stream, size);
  clips.input.normalisation = backbone.normalisation;
  clips.input.test_crop = released ? Crop::Released : Crop::Centre;
  clips.segments = backbone.tsm.shape().segments;
  clips.point = released ? SegmentPoint::Start : SegmentPoint::Centre;
  return clips;
}

PreparedBackbone prepare_backbone(const BackboneSettings& settings) {
  TsmShape shape;
  if (settings.segments > 0) shape.segments = settings.segments;
  shape.classes = settings.classes;
  shape.input_channels = input_channels(settings.stream);
  if (settings.weights.empty()) {
    shape.width = settings.width;
    shape.depth = find_backbone(settings.backbone.empty() ? kDefaultBackbone : settings.backbone);
    return {Tsm(shape, settings.seed),
            {},
            "random",
            {"without --weights the network is random and its features carry little information"}};
  }
  const Checkpoint checkpoint = read_checkpoint(settings.weights);
  shape.depth =
      settings.backbone.empty() ? checkpoint.shape.depth : find_backbone(settings.backbone);
  if (settings.segments == 0) shape.segments = checkpoint.shape.segments;
  shape.width = checkpoint.shape.width;
  shape.shift = checkpoint.shape.shift;
  Tsm tsm(shape, settings.seed);
  CheckpointFit fit = load_checkpoint(checkpoint, &tsm);
  return {std::move(tsm), checkpoint.normalisation, std::string(kind_name(checkpoint.kind)),
          std::move(fit.remarks), checkpoint.size};
}

ExtractionReport extract_features(const Dataset& dataset, const PreparedBackbone& backbone,
                                  const ExtractionSettings& settings) {
  const std::string name(stream_name(settings.backbone.stream));
  const FeatureRecipe recipe = recipe_for(dataset, backbone, settings);
  Json record = record_of(dataset, recipe, backbone);
  ExtractionReport report;
  report.file = dataset.folder / "features" / (name + ".npy");
  report.columns = feature_columns(backbone.tsm.shape());
  const std::vector<bool> valid = valid_rows(dataset, report.file, record, settings);
  const auto num_valid = static_cast<int>(std::count(valid.begin(), valid.end(), true));
  if (num_valid == std::ssize(valid) && settings.peek == 0) {
    report.kept = num_valid;
    return report;
  }
  const ClipSource source(dataset, clip_settings(recipe, backbone), settings.on_error);
  if (settings.peek > 0) {
    report.pictures = peek_at_clips(dataset, source, settings.peek, dataset.folder / "peek");
  }
  report.problems = source.problems();
  std::erase_if(report.problems,
                [&](const ClipProblem& problem) { return valid[index(problem.clip)]; });
  if (num_valid > 0 && num_valid + std::ssize(report.problems) == std::ssize(valid)) {
    report.kept = num_valid;  // skipped clips are still unreadable
    return report;
  }
  complete_features(dataset, source, backbone, settings, valid, std::move(record), &report);
  return report;
}

}  // namespace manyverbs
