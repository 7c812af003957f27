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

/// An annotation project is a folder: clips for people to look at, and verbs for each to choose
/// from.
///
///   project.json    format 2, name, dataset, run, how clips were chosen, classes
///   tasks.csv       task,clip,original,candidates,video
///   practice.csv    the same columns: a few clips to get used to the work
///   clips/          1.mp4 …, p1.mp4 …: named so that nothing betrays the label
///   answers.sqlite  what people answered, unless it is kept in PostgreSQL
///
/// Only its owner may read it: annotators with an account on the machine must not see the original
/// labels.

/// A clip to annotate.
struct AnnotationTask {
  int number = 0;                   ///< counts from 1; there may be gaps
  std::string clip;                 ///< its name in the data set
  std::optional<ClassId> original;  ///< the label that somebody gave it before, where known
  std::vector<ClassId> candidates;  ///< best first, the original among them; as many for each task
  std::string video;                ///< relative to the folder: "clips/1.mp4"

  bool operator==(const AnnotationTask&) const = default;
};

struct AnnotationProject {
  std::filesystem::path folder;
  std::string name;
  std::filesystem::path dataset;  ///< absolute
  std::filesystem::path run;      ///< absolute
  Split split = Split::Test;      ///< which clips of the data set may be chosen
  std::string choice = "wrong";   ///< "all", "sample", or "wrong": the model's best is not a label
  int count = 0;                  ///< so many clips of these at random; 0: all of them
  int candidates = 11;            ///< verbs that a clip offers, unless there are fewer classes
  std::uint64_t seed = 1;
  std::string clips_stamp;  ///< changes when other clips are to be seen, see prepare
  Vocabulary classes;
  std::vector<AnnotationTask> tasks;  ///< by rising number
  std::vector<AnnotationTask> practice;

  /// The task of a number, or null.
  const AnnotationTask* find_task(int number) const;
};

/// Throws Error when the folder is no project, is not complete, or a file in it is wrong.
AnnotationProject read_project(const std::filesystem::path& folder);

/// Writes project.json alone: what is wanted, before it is there.
void write_project_settings(const AnnotationProject& project);
/// What project.json says, without the tasks.
AnnotationProject read_project_settings(const std::filesystem::path& folder);
/// Writes tasks.csv and practice.csv, which make a project complete.
void write_project_tasks(const AnnotationProject& project);

/// Closes a project to other users, which earlier versions left open.
void make_project_private(const AnnotationProject& project);

/// Where answers are kept unless a database is named.
std::filesystem::path answers_file(const AnnotationProject& project);

/// A short text that changes when tasks change: answers belong to one list of tasks.
std::string tasks_stamp(const AnnotationProject& project);

/// The candidates as one person sees them: shuffled, for each person and task in an order of its
/// own that never changes.
std::vector<ClassId> candidates_for(const AnnotationProject& project, const AnnotationTask& task,
                                    int person);

}  // namespace manyverbs
