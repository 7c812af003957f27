// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manyverbs/server/project.h"
#include "manyverbs/support/internal/files.h"

namespace manyverbs {

/// Writes a project with the given number of tasks into an existing folder, without a data set:
/// clip i is "clip-i", its original label is "cut", its candidates are cut, peel, wash and dry. The
/// videos are a few bytes long.
inline AnnotationProject write_toy_project(const std::filesystem::path& folder, int tasks) {
  AnnotationProject project;
  project.folder = folder;
  project.name = "toy";
  project.dataset = folder / "dataset";
  project.run = folder / "run";
  project.classes = Vocabulary({"cut", "peel", "wash", "dry", "<b>mix</b>"});
  std::filesystem::create_directories(folder / "clips");
  for (int number = 1; number <= tasks; ++number) {
    project.tasks.push_back({number,
                             "clip-" + std::to_string(number),
                             0,
                             {1, 0, 2, 3},
                             "clips/" + std::to_string(number) + ".mp4"});
    write_file(folder / project.tasks.back().video, "0123456789");
  }
  project.practice = {{1, "practice", 1, {0, 1, 4}, "clips/p1.mp4"}};
  write_file(folder / "clips" / "p1.mp4", "abcdefghij");
  write_project_settings(project);
  write_project_tasks(project);
  return read_project(folder);
}

}  // namespace manyverbs
