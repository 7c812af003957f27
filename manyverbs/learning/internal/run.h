// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manyverbs/dataset/dataset.h"
#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/learning/internal/trainer.h"
#include "manyverbs/support/internal/json.h"

namespace manyverbs {

class Mlp;

/// A run is a folder that holds one training. To use its model on videos or on its own clips, the
/// data set that run.json names must be there too.
///
///   run.json                 the data set, the classes and every setting
///   model.safetensors        the weights of the best epoch
///   checkpoint.safetensors   the last saved state, from which training resumes
///   log.csv                  one line per epoch
///   events.out.tfevents.*    the same for TensorBoard, one file per call

/// How the best epoch is chosen.
enum class Protocol {
  Clean,  ///< on val; without val, on a tenth of train that is held out
  Paper,  ///< on val; without val, on test, as the paper does for HMDB
};
std::string_view protocol_name(Protocol protocol);
Protocol find_protocol(std::string_view name);

std::string_view recipe_name(Recipe recipe);
Recipe find_recipe(std::string_view name);

/// Which clips are learnt from and which choose the epoch; rows of clips.csv, in order.
struct ClipChoice {
  std::vector<int> training;
  std::vector<int> validation;
  bool validation_is_test = false;
};
/// Throws Error when there is no training clip, or too few to hold a tenth out.
ClipChoice choose_clips(const Dataset& dataset, Protocol protocol, std::uint64_t seed);

struct Run {
  std::filesystem::path dataset;     ///< folder, absolute
  DatasetContent made_from;          ///< labels and features when the run began
  std::vector<std::string> streams;  ///< features, in the order they are joined
  int feature_columns = 0;           ///< of all streams together
  std::vector<std::string> classes;
  Protocol protocol = Protocol::Clean;
  std::string pseudo_labels;       ///< name or file; empty where the loss takes none
  std::string pseudo_labels_hash;  ///< of the suggestions themselves
  TrainingSettings training;
};

Json to_json(const Run& run);
/// Throws Error when the folder is no run.
Run read_run(const std::filesystem::path& folder);

/// The best epoch's model. Throws Error when the run has not got that far.
Mlp load_model(const std::filesystem::path& folder, const Run& run);

}  // namespace manyverbs
