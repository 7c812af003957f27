// SPDX-License-Identifier: MIT
#include "manyverbs/server/internal/preparation.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>

#include "manyverbs/server/internal/gold_file.h"
#include "manyverbs/server/internal/guide.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/content_hash.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/interruption.h"
#include "manyverbs/support/internal/parallel.h"
#include "manyverbs/support/internal/progress.h"
#include "manyverbs/support/internal/random.h"

namespace manyverbs {
namespace {

// A selected clip.
struct Chosen {
  ClipRow clip;
  AnnotationTask task;
  std::vector<ClassId> labels = {};  // of gold clips
};

AnnotationProject wanted_project(const PreparationSettings& settings, const Dataset& dataset) {
  AnnotationProject project;
  project.folder = settings.out;
  project.name = settings.name.empty() ? dataset.name : settings.name;
  if (!settings.language.empty()) project.language = settings.language;
  project.dataset = std::filesystem::canonical(dataset.folder);
  project.run = std::filesystem::canonical(settings.runs.front());
  project.split = settings.split;
  project.choice = settings.choice;
  for (const std::filesystem::path& run : settings.runs) {
    project.runs.push_back(folder_name(run));
    project.models.push_back(content_hash(run / "model.safetensors"));
  }
  project.count = settings.count;
  project.candidates = settings.candidates;
  project.seed = settings.seed;
  project.classes = dataset.classes;
  return project;
}

bool same_settings(const AnnotationProject& a, const AnnotationProject& b) {
  return a.dataset == b.dataset && a.run == b.run && a.split == b.split && a.choice == b.choice &&
         a.runs == b.runs && a.count == b.count && a.candidates == b.candidates &&
         a.seed == b.seed && a.models == b.models && a.classes.names() == b.classes.names();
}

// Checks that the folder contains this project, or writes project.json to mark it. Videos are
// identified by number only, so each number must refer to the same clip as before. The language can
// be changed in project.json, which therefore decides, unless another one was asked for.
void claim_folder(const PreparationSettings& settings, AnnotationProject* wanted) {
  const AnnotationProject& project = *wanted;
  const std::filesystem::path& folder = project.folder;
  if (std::filesystem::exists(folder / "project.json")) {
    const AnnotationProject there = read_project_settings(folder);
    if (!same_settings(project, there)) {
      throw Error("{}: contains a project with other settings; choose another --out or remove it",
                  folder.string());
    }
    if (project.clips_stamp != there.clips_stamp) {
      throw Error(
          "{}: contains a project with other clips: the run, the data set, --practice or --gold "
          "has changed; choose another --out or remove it",
          folder.string());
    }
    if (!settings.language.empty() && settings.language != there.language) {
      throw Error("{}: contains a project in the language '{}'; change it in project.json",
                  folder.string(), there.language);
    }
    wanted->language = there.language;
  } else if (!std::filesystem::is_empty(folder)) {
    throw Error("{}: contains other files and is not an annotation project; choose another --out",
                folder.string());
  } else {
    write_project_settings(project);
  }
  std::filesystem::create_directories(folder / "clips");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "clips")) {
    if (entry.path().stem().extension() == ".part") std::filesystem::remove(entry.path());
  }
}

AnnotationTask task_of(const Clip& clip, std::span<const float> scores, int candidates) {
  AnnotationTask task;
  task.clip = clip.name;
  task.original = original_label(clip);
  task.candidates = candidate_classes(scores, candidates, task.original);
  return task;
}

// The mean over models.
Matrix<float> mean_scores(const std::vector<Matrix<float>>& scores) {
  Matrix<float> mean = scores.front();
  for (std::size_t m = 1; m < scores.size(); ++m) {
    for (std::size_t i = 0; i < mean.values().size(); ++i) mean.data()[i] += scores[m].data()[i];
  }
  const auto models = static_cast<float>(scores.size());
  for (float& value : std::span(mean.data(), mean.values().size())) value /= models;
  return mean;
}

std::vector<Matrix<float>> scores_of_all(const std::vector<ClipScores>& models,
                                         const std::vector<ClipRow>& clips) {
  std::vector<Matrix<float>> scores;
  for (const ClipScores& model : models) scores.push_back(model(clips));
  return scores;
}

ClassId top_class(std::span<const float> scores) {
  return candidate_classes(scores, 1, std::nullopt).front();
}

std::vector<Chosen> choose_tasks(const Dataset& dataset, const std::vector<ClipScores>& models,
                                 const PreparationSettings& settings, const GoldFile& gold,
                                 PreparationReport* report) {
  const std::vector<ClipRow> clips = dataset.clips_of(settings.split);
  if (clips.empty()) {
    throw Error("{}: has no clip in the split {}", (dataset.folder / "clips.csv").string(),
                split_name(settings.split));
  }
  const std::vector<Matrix<float>> of_models = scores_of_all(models, clips);
  const Matrix<float> scores = mean_scores(of_models);
  std::vector<Chosen> chosen;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const Clip& clip = dataset.clip(clips[i]);
    const ClassId top = top_class(scores.row(i));
    const bool wrong = std::find(clip.labels.begin(), clip.labels.end(), top) == clip.labels.end();
    const bool disputed = std::any_of(of_models.begin(), of_models.end(), [&](const auto& each) {
      return top_class(each.row(i)) != top_class(of_models.front().row(i));
    });
    report->wrong += wrong ? 1 : 0;
    report->disputed += disputed ? 1 : 0;
    if (settings.choice == "wrong" && !wrong) continue;
    if (settings.choice == "disagreement" && !disputed) continue;
    if (gold.contains(clips[i])) continue;
    chosen.push_back({clips[i], task_of(clip, scores.row(i), settings.candidates)});
  }
  report->eligible = static_cast<int>(clips.size());
  // Clips with the same label are often adjacent in a data set; annotators see them shuffled.
  Random random(settings.seed);
  random.shuffle(std::span(chosen));
  if (settings.count > 0 && std::ssize(chosen) > settings.count) chosen.resize(settings.count);
  report->without_original = static_cast<int>(std::count_if(
      chosen.begin(), chosen.end(), [](const Chosen& each) { return !each.task.original; }));
  return chosen;
}

// Practice clips from another split whose original label is known, with different labels where
// possible.
std::vector<Chosen> choose_practice(const Dataset& dataset, const std::vector<ClipScores>& models,
                                    const PreparationSettings& settings, const GoldFile& gold) {
  std::vector<ClipRow> clips;
  for (const Split split : {Split::Val, Split::Train}) {
    if (split == settings.split) continue;
    for (const ClipRow clip : dataset.clips_of(split)) {
      if (original_label(dataset.clip(clip)) && !gold.contains(clip)) clips.push_back(clip);
    }
    if (std::ssize(clips) >= settings.practice) break;
  }
  Random random(settings.seed, 1);
  random.shuffle(std::span(clips));
  std::set<ClassId> seen;
  std::stable_partition(clips.begin(), clips.end(), [&](ClipRow clip) {
    return seen.insert(dataset.clip(clip).labels.front()).second;
  });
  clips.resize(std::min<std::size_t>(clips.size(), settings.practice));
  std::vector<Chosen> chosen;
  if (clips.empty()) return chosen;
  const Matrix<float> scores = mean_scores(scores_of_all(models, clips));
  for (std::size_t i = 0; i < clips.size(); ++i) {
    chosen.push_back(
        {clips[i], task_of(dataset.clip(clips[i]), scores.row(i), settings.candidates)});
  }
  return chosen;
}

std::vector<Chosen> gold_clips(const Dataset& dataset, const std::vector<ClipScores>& models,
                               int candidates, const GoldFile& gold) {
  std::vector<Chosen> chosen;
  if (gold.clips.empty()) return chosen;
  const Matrix<float> scores = mean_scores(scores_of_all(models, gold.clips));
  for (std::size_t i = 0; i < gold.clips.size(); ++i) {
    const ClipRow clip = gold.clips[i];
    chosen.push_back(
        {clip, task_of(dataset.clip(clip), scores.row(i), candidates), gold.labels[i]});
  }
  return chosen;
}

void set_number(int number, const std::string& prefix, Chosen* chosen) {
  chosen->task.number = number;
  chosen->task.video = fmt::format("clips/{}{}.mp4", prefix, number);
}

void number_practice(std::vector<Chosen>* chosen) {
  int number = 0;
  for (Chosen& each : *chosen) set_number(++number, "p", &each);
}

// Gold clips have random numbers among those of the others, so that numbers do not reveal them. The
// content of the gold file is a part of the seed: nobody can compute them who does not know it.
void number_tasks(const GoldFile& file, std::uint64_t seed, std::vector<Chosen>* chosen,
                  std::vector<Chosen>* gold) {
  std::vector<bool> is_gold(chosen->size() + gold->size());
  std::vector<std::size_t> places(is_gold.size());
  std::iota(places.begin(), places.end(), 0);
  Random random(seed, file.hash);
  random.shuffle(std::span(places));
  for (std::size_t i = 0; i < gold->size(); ++i) is_gold[places[i]] = true;
  auto next = chosen->begin();
  auto next_gold = gold->begin();
  for (std::size_t i = 0; i < is_gold.size(); ++i) {
    set_number(static_cast<int>(i) + 1, "", is_gold[i] ? &*next_gold++ : &*next++);
  }
}

std::string stamp_of(const std::vector<Chosen>& chosen, const std::vector<Chosen>& practice,
                     const std::vector<Chosen>& gold) {
  std::string text;
  for (const auto* list : {&chosen, &practice, &gold}) {
    for (const Chosen& each : *list) text += each.task.video + " " + each.task.clip + "\n";
  }
  return text_hash(text);
}

// Drops clips whose frames were not found; with OnError::Stop throws for the first one.
void drop_unreadable(const Dataset& dataset, const FrameIndex& index, OnError on_error,
                     std::vector<Chosen>* chosen, PreparationReport* report) {
  for (const ClipProblem& problem : index.problems) {
    const auto place = std::find_if(chosen->begin(), chosen->end(),
                                    [&](const Chosen& one) { return one.clip == problem.clip; });
    if (place == chosen->end()) continue;
    const std::string& name = dataset.clip(problem.clip).name;
    if (on_error == OnError::Stop) throw Error("clip '{}': {}", name, problem.what);
    report->skipped.push_back(fmt::format("{}: {}", name, problem.what));
    chosen->erase(place);
  }
}

// Writes the missing videos in parallel; returns the tasks that have a video.
std::vector<AnnotationTask> write_clips_of(const std::vector<Chosen>& chosen,
                                           const FrameIndex& index,
                                           const PreparationSettings& settings,
                                           PreparationReport* report) {
  Progress progress("clips", std::ssize(chosen));
  std::mutex mutex;
  std::atomic<bool> stopped = false;
  std::vector<std::string> problems(chosen.size());
  side_by_side(chosen.size(), num_threads(), [&](std::size_t i) {
    if (stopped) return;
    const std::filesystem::path path = settings.out / chosen[i].task.video;
    const bool there = std::filesystem::exists(path);
    try {
      if (!there) write_browser_clip(*index.of(chosen[i].clip), path);
      const std::lock_guard guard(mutex);
      ++(there ? report->kept : report->made);
    } catch (const Error& problem) {
      problems[i] = problem.what();
      stopped = settings.on_error == OnError::Stop;
    }
    progress.advance();
  });
  std::vector<AnnotationTask> tasks;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const AnnotationTask& task = chosen[i].task;
    if (problems[i].empty()) {
      tasks.push_back(task);
      continue;
    }
    if (settings.on_error == OnError::Stop) throw Error("clip '{}': {}", task.clip, problems[i]);
    report->skipped.push_back(fmt::format("{}: {}", task.clip, problems[i]));
  }
  return tasks;
}

// The gold clips that have a video.
std::vector<GoldClip> with_labels(const std::vector<Chosen>& gold,
                                  std::vector<AnnotationTask> tasks) {
  std::vector<GoldClip> clips;
  for (AnnotationTask& task : tasks) {
    const auto chosen = std::find_if(gold.begin(), gold.end(), [&](const Chosen& each) {
      return each.task.number == task.number;
    });
    clips.push_back({std::move(task), chosen->labels});
  }
  return clips;
}

bool without_verb(const GoldClip& clip) {
  return std::none_of(clip.labels.begin(), clip.labels.end(), [&](ClassId label) {
    const std::vector<ClassId>& verbs = clip.task.candidates;
    return std::find(verbs.begin(), verbs.end(), label) != verbs.end();
  });
}

}  // namespace

std::vector<ClassId> candidate_classes(std::span<const float> scores, int count,
                                       std::optional<ClassId> original) {
  std::vector<ClassId> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t wanted = std::min<std::size_t>(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(),
      [&](ClassId a, ClassId b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  order.resize(wanted);
  if (original && std::find(order.begin(), order.end(), *original) == order.end()) {
    order.back() = *original;
  }
  return order;
}

PreparationReport prepare_project(const PreparationSettings& settings, const Dataset& dataset,
                                  const std::vector<ClipScores>& models) {
  PreparationReport report;
  if (!settings.definitions.empty()) read_definitions(settings.definitions, dataset.classes);
  report.project = wanted_project(settings, dataset);
  const GoldFile file = settings.gold.empty() ? GoldFile{} : read_gold_file(settings.gold, dataset);
  std::vector<Chosen> chosen = choose_tasks(dataset, models, settings, file, &report);
  std::vector<Chosen> practice = choose_practice(dataset, models, settings, file);
  std::vector<Chosen> gold = gold_clips(dataset, models, settings.candidates, file);
  number_tasks(file, settings.seed, &chosen, &gold);
  number_practice(&practice);
  report.project.clips_stamp = stamp_of(chosen, practice, gold);
  const FrameIndex index = index_frames(dataset, OnError::Skip);
  drop_unreadable(dataset, index, settings.on_error, &chosen, &report);
  drop_unreadable(dataset, index, settings.on_error, &practice, &report);
  drop_unreadable(dataset, index, settings.on_error, &gold, &report);
  if (chosen.empty()) {
    throw Error(
        "{}: no clip to annotate: {} of {} {} clips have {}, {} skipped", dataset.folder.string(),
        settings.choice == "disagreement" ? report.disputed : report.wrong, report.eligible,
        split_name(settings.split),
        settings.choice == "disagreement" ? "different top predictions" : "a wrong top prediction",
        report.skipped.size());
  }
  std::filesystem::create_directories(settings.out);
  const FileLock lock(settings.out);
  claim_folder(settings, &report.project);
  write_guide(report.project, settings.definitions);
  try {
    report.project.tasks = write_clips_of(chosen, index, settings, &report);
    report.project.practice = write_clips_of(practice, index, settings, &report);
    report.project.gold = with_labels(gold, write_clips_of(gold, index, settings, &report));
  } catch (const Interrupted&) {
    throw Interrupted(fmt::format("{} of {} videos are written", report.made + report.kept,
                                  chosen.size() + practice.size() + gold.size()));
  }
  report.gold_without_verb = static_cast<int>(
      std::count_if(report.project.gold.begin(), report.project.gold.end(), without_verb));
  write_project_tasks(report.project);
  return report;
}

}  // namespace manyverbs
