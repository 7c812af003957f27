// SPDX-License-Identifier: MIT
#include "manyverbs/decoding/internal/flow_folders.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "manyverbs/dataset/internal/shared_data.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"

namespace manyverbs {
namespace {

std::filesystem::path settings_file(const Dataset& dataset) {
  return flow_root(dataset) / "flow.json";
}

std::string described(const FlowSettings& settings) {
  return fmt::format("{}, bound {}, short side {}", flow_method_name(settings.method),
                     settings.bound, settings.short_side);
}

// The inputs of the flow of a clip.
Json source_of(const ClipFrames& frames) {
  return {{"first", frames.first},
          {"frames", frames.count},
          {"width", frames.width},
          {"height", frames.height},
          {"content", frames.content}};
}

// A folder without a record was added by the user.
bool is_up_to_date(const std::filesystem::path& folder, const ClipFrames& frames) {
  if (!std::filesystem::is_directory(folder)) return false;
  const std::filesystem::path record = folder / "source.json";
  return !std::filesystem::exists(record) || read_json(record) == source_of(frames);
}

void compute_clip(const ClipFrames& frames, const FlowSettings& settings,
                  const std::filesystem::path& folder, Progress* progress) {
  std::filesystem::remove_all(folder);  // computed from another video
  FolderWriter out(folder, Leftovers::Leave);
  FlowEstimator estimator(settings.method);
  Image earlier;
  const FrameFormat format{Colour::Grey, settings.short_side};
  for_each_frame(frames, format, [&](int position, const Image& frame) {
    if (position > 0) {
      write_flow(out.path(), position - 1,
                 estimator.encoded_between(earlier, frame, settings.bound));
      progress->advance();
    }
    earlier = frame;
  });
  if (frames.count == 1) write_flow(out.path(), 0, no_motion({earlier.width, earlier.height}));
  write_json(out.path() / "source.json", source_of(frames));
  out.commit();
}

// Prepares the folder for these settings. flow.json is removed last, so that a kill leaves no flow
// without settings.
void prepare(const Dataset& dataset, const FlowSettings& settings, bool replace) {
  const std::filesystem::path folder = flow_root(dataset);
  if (std::filesystem::exists(settings_file(dataset))) {
    const FlowSettings present = flow_settings(dataset);
    if (present == settings) return;
    if (!replace) {
      throw Error(
          "{}: expected flow with {}, found flow with {}; use --replace to compute it again",
          folder.string(), described(settings), described(present));
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path() != settings_file(dataset)) std::filesystem::remove_all(entry.path());
    }
  }
  write_json(settings_file(dataset), to_json(settings));
}

// Removes folders that a killed process did not complete.
void remove_unfinished(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (is_temporary(entry.path())) std::filesystem::remove_all(entry.path());
  }
}

// The clips to compute, longest first, so that the work is balanced over the cores.
std::vector<ClipRow> missing_clips(const Dataset& dataset, const FrameIndex& index,
                                   FlowReport* report) {
  std::vector<ClipRow> missing;
  for (const ClipRow row : first_rows(dataset.clips.size())) {
    if (!index.of(row)) continue;
    if (is_up_to_date(flow_folder(dataset, dataset.clip(row)), *index.of(row))) {
      ++report->kept;
    } else {
      missing.push_back(row);
    }
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [&](ClipRow a, ClipRow b) { return index.of(a)->count > index.of(b)->count; });
  return missing;
}

// Computes the flow of clips in parallel.
void compute_clips(const Dataset& dataset, const FrameIndex& index,
                   const std::vector<ClipRow>& clips, const FlowSettings& settings,
                   OnError on_error, FlowReport* report) {
  Progress progress("flow", report->pairs);
  std::mutex mutex;
  std::atomic<bool> stopped = false;
  side_by_side(clips.size(), num_threads(), [&](std::size_t i) {
    if (stopped) return;
    const ClipRow clip = clips[i];
    try {
      compute_clip(*index.of(clip), settings, flow_folder(dataset, dataset.clip(clip)), &progress);
      const std::lock_guard guard(mutex);
      ++report->computed;
    } catch (const Error& problem) {
      const std::lock_guard guard(mutex);
      report->problems.push_back({clip, problem.what()});
      report->pairs -= std::max(1, index.of(clip)->count - 1);
      stopped = on_error == OnError::Stop;
    }
  });
}

// Looks up given flow and stores its settings.
FlowReport use_given_flow(const Dataset& dataset, OnError on_error) {
  const FlowIndex index = index_flow(dataset, on_error);
  store_given_settings(dataset, index);
  FlowReport report;
  report.problems = index.problems;
  report.given = static_cast<int>(std::count_if(index.clips.begin(), index.clips.end(),
                                                [](const auto& flow) { return flow.has_value(); }));
  return report;
}

// Characters that are not valid in file names are percent-encoded.
std::string flow_folder_name(const Clip& clip) {
  std::string name;
  for (const char c : clip.name) {
    const auto code = static_cast<unsigned char>(c);
    const bool unfit =
        code < 32 || code == 127 || c == '/' || c == '\\' || c == '%' || (c == '.' && name.empty());
    name += unfit ? fmt::format("%{:02X}", code) : std::string(1, c);
  }
  return name;
}

}  // namespace

std::filesystem::path flow_root(const Dataset& dataset) { return shared_folder(dataset) / "flow"; }

std::filesystem::path flow_folder(const Dataset& dataset, const Clip& clip) {
  return flow_root(dataset) / flow_folder_name(clip);
}

FlowReport compute_flow(const Dataset& dataset, const FlowSettings& settings, OnError on_error,
                        bool replace) {
  if (settings.short_side != 0 && settings.short_side < kSmallestFlowSide) {
    throw Error("a short side of {} pixels is too small for a network; expected at least {}, or 0",
                settings.short_side, kSmallestFlowSide);
  }
  if (has_given_flow(dataset)) return use_given_flow(dataset, on_error);
  const FrameIndex index = index_frames(dataset, on_error);
  const std::filesystem::path root = flow_root(dataset);
  std::filesystem::create_directories(root);
  const FileLock lock(root);
  prepare(dataset, settings, replace);
  remove_unfinished(root);
  FlowReport report;
  report.problems = index.problems;
  const std::vector<ClipRow> clips = missing_clips(dataset, index, &report);
  for (const ClipRow row : clips) report.pairs += std::max(1, index.of(row)->count - 1);
  try {
    compute_clips(dataset, index, clips, settings, on_error, &report);
  } catch (const Interrupted&) {
    throw Interrupted(fmt::format("the flow of {} of {} clips is saved",
                                  report.kept + report.computed, dataset.clips.size()));
  }
  std::sort(report.problems.begin(), report.problems.end(),
            [](const ClipProblem& a, const ClipProblem& b) { return a.clip < b.clip; });
  if (on_error == OnError::Stop && !report.problems.empty()) {
    const ClipProblem& first = report.problems.front();
    throw Error("clip '{}': {}", dataset.clip(first.clip).name, first.what);
  }
  return report;
}

void store_given_settings(const Dataset& dataset, const FlowIndex& index) {
  FlowSettings settings{.method = FlowMethod::Given, .short_side = 0};
  for (const std::optional<FlowFrames>& flow : index.clips) {
    if (!flow) continue;
    const int side = std::min(flow->width, flow->height);
    settings.short_side = settings.short_side == 0 ? side : std::min(settings.short_side, side);
  }
  if (settings.short_side == 0) return;
  if (std::filesystem::exists(settings_file(dataset)) && flow_settings(dataset) == settings) return;
  std::filesystem::create_directories(flow_root(dataset));
  write_json(settings_file(dataset), to_json(settings));
}

FlowSettings flow_settings(const Dataset& dataset) {
  const std::filesystem::path path = settings_file(dataset);
  if (!std::filesystem::exists(path)) {
    throw Error("{}: the data set has no flow; compute it with 'manyverbs flow {}'",
                dataset.folder.string(), dataset.folder.string());
  }
  return flow_settings_of(read_json(path), path);
}

FlowIndex index_flow(const Dataset& dataset, OnError on_error) {
  if (has_given_flow(dataset)) {
    const FrameIndex frames = index_frames(dataset, on_error);
    FlowIndex index = index_given_flow(dataset, frames, on_error);
    index.problems.insert(index.problems.end(), frames.problems.begin(), frames.problems.end());
    std::sort(index.problems.begin(), index.problems.end(),
              [](const ClipProblem& a, const ClipProblem& b) { return a.clip < b.clip; });
    return index;
  }
  FlowIndex index;
  index.clips.resize(dataset.clips.size());
  index.contents.resize(dataset.clips.size());
  for (std::size_t i = 0; i < dataset.clips.size(); ++i) {
    const std::filesystem::path folder = flow_folder(dataset, dataset.clips[i]);
    try {
      index.clips[i] = find_flow(folder);
    } catch (const Error& problem) {
      if (on_error == OnError::Stop) throw;
      index.problems.push_back({ClipRow(i), problem.what()});
      continue;
    }
    const std::filesystem::path source = folder / "source.json";
    if (!std::filesystem::exists(source)) continue;
    index.contents[i] = json_value<std::string>(read_json(source), "content", source);
  }
  return index;
}

Json to_json(const FlowSettings& settings) {
  return {{"method", flow_method_name(settings.method)},
          {"bound", settings.bound},
          {"short_side", settings.short_side}};
}

FlowSettings flow_settings_of(const Json& json, const std::filesystem::path& path) {
  FlowSettings settings;
  settings.method = find_flow_method(json_value<std::string>(json, "method", path));
  settings.bound = json_value<double>(json, "bound", path);
  settings.short_side = json_value<int>(json, "short_side", path);
  return settings;
}

}  // namespace manyverbs
