// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/clip.h"
#include "manyverbs/dataset/vocabulary.h"

namespace manyverbs {

/// An annotation project is a folder with clips to annotate and, for each clip, the verbs to choose
/// from.
///
///   project.json    format 2, name, language, dataset, run, how clips were selected, classes
///   tasks.csv       task,clip,original,candidates,video
///   practice.csv    the same columns, for the practice clips
///   gold.csv        optional: the same columns and labels, for clips with known labels
///   clips/          1.mp4 …, p1.mp4 …: numbered, so that file names do not reveal labels
///   instructions.md, definitions.csv, strings.csv   what annotators read, see internal/guide.h
///   answers.sqlite  the answers, unless they are stored in PostgreSQL
///
/// Only the owner can read the files: annotators with an account on the machine must not see the
/// original labels.

/// A clip to annotate.
struct AnnotationTask {
  int number = 0;                   ///< from 1; numbers may be missing
  std::string clip;                 ///< its name in the data set
  std::optional<ClassId> original;  ///< the first label of the clip, if known
  std::vector<ClassId>
      candidates;     ///< best first, including the original; the same number for each task
  std::string video;  ///< relative to the folder: "clips/1.mp4"

  bool operator==(const AnnotationTask&) const = default;
};

/// A clip with known labels, which shows how often people are right. People cannot tell it from the
/// other clips, so it has a number among those of the tasks. It is not part of the result.
struct GoldClip {
  AnnotationTask task;
  std::vector<ClassId> labels;  ///< sorted; may be empty, and may contain others than candidates

  bool operator==(const GoldClip&) const = default;
};

struct AnnotationProject {
  std::filesystem::path folder;
  std::string name;
  std::string language = "en";    ///< of the annotator's page, one of annotation_languages()
  std::filesystem::path dataset;  ///< absolute
  std::filesystem::path run;      ///< absolute; the first if there are several
  Split split = Split::Test;      ///< the split that clips are selected from
  /// "all", "sample", "wrong": the top prediction is not a label, or "disagreement": the top
  /// predictions of the runs differ.
  std::string choice = "wrong";
  std::vector<std::string> runs;    ///< the names of all runs
  std::vector<std::string> models;  ///< the content hashes of their models
  int count = 0;                    ///< maximum number of clips, sampled at random; 0: all
  int candidates = 11;              ///< verbs per clip, at most the number of classes
  std::uint64_t seed = 1;
  std::string clips_stamp;  ///< hash of the selected clips and their videos, see prepare_project()
  Vocabulary classes;
  std::vector<AnnotationTask> tasks;  ///< in ascending order of number
  std::vector<AnnotationTask> practice;
  std::vector<GoldClip> gold;  ///< in ascending order of number

  /// The task with this number, or null.
  const AnnotationTask* find_task(int number) const;
  /// The gold clip with this number, or null.
  const GoldClip* find_gold(int number) const;
  /// The clip that annotators know by this number, a task or a gold clip, or null.
  const AnnotationTask* find_shown(int number) const;
};

/// The languages of the annotator's page: "en" and "de".
const std::vector<std::string>& annotation_languages();

/// Throws Error when the folder is not a project, is incomplete, or contains an invalid file.
AnnotationProject read_project(const std::filesystem::path& folder);

/// Writes project.json only. It marks the folder as a project before the tasks exist.
void write_project_settings(const AnnotationProject& project);
/// Reads project.json, without the tasks.
AnnotationProject read_project_settings(const std::filesystem::path& folder);
/// Writes gold.csv if there are gold clips, practice.csv, and tasks.csv, which makes a project
/// complete.
void write_project_tasks(const AnnotationProject& project);

/// Removes the access rights of other users, which earlier versions did not do.
void make_project_private(const AnnotationProject& project);

/// The database file that is used if no database is named.
std::filesystem::path answers_file(const AnnotationProject& project);

/// A hash of the list of tasks and gold clips, without the labels of these. Answers are valid for
/// one list only.
std::string tasks_stamp(const AnnotationProject& project);

/// The candidates in the order in which a person sees them: shuffled, with a fixed random order for
/// each person and task.
std::vector<ClassId> candidates_for(const AnnotationProject& project, const AnnotationTask& task,
                                    int person);

}  // namespace manyverbs
