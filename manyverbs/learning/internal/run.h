// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/features/internal/feature_recipe.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

class Mlp;

/// A run is a folder that holds one training, on features or on clips. Its model is of use without
/// the data set.
///
///   run.json                 its kind, every setting, the classes, and what it was made from
///   model.safetensors        the weights of the best epoch, and its probabilities of the
///                            validation clips
///   checkpoint.safetensors   the last saved state, from which training resumes
///   log.csv                  one line per epoch
///   events.out.tfevents.*    the same for TensorBoard, one file per call
///   pseudo_labels/           of a run on clips: the pseudo-labels of each refresh
struct Run {
  /// As they were used: streams, segments and the path of first weights are filled in.
  RunSettings settings;
  std::vector<std::string> classes;
  int feature_columns = 0;  ///< of all streams together; of a run on features

  std::filesystem::path dataset;   ///< folder, absolute
  DatasetContent made_from;        ///< labels and features when the run began
  std::string pseudo_labels_hash;  ///< of the suggestions; empty where the loss takes none
  std::string weights_hash;        ///< of the file of first weights; empty where they are random
  std::string videos_hash;         ///< of what a run on clips learns from and chooses the epoch by

  /// How the features of each stream are made of videos, as their records say; to_json() of a
  /// FeatureRecipe. Streams whose features came from elsewhere are not in it.
  std::map<std::string, Json> recipes;
  std::optional<FlowSettings> flow;  ///< of a run on clips that sees flow: how that was computed
};

/// run.json of a run in a folder. It has the place of the data set twice: as it is, and as seen
/// from the folder, which survives moving both together.
Json to_json(const Run& run, const std::filesystem::path& folder);
/// The run in a folder. Its data set is found again where both were moved together or where it was;
/// when there is one in either place, the content of the labels decides. Throws Error when the
/// folder is no run or its run.json has another format.
Run read_run(const std::filesystem::path& folder);
/// Throws Error when a run is of another kind.
void require_kind(const Run& run, RunKind kind, const std::filesystem::path& folder);

/// The first thing in which two runs differ, or "": "learning_rate is 0.001 there, 0.0001 here".
/// Where data set and first weights lie does not matter, only their content.
std::string difference(const Run& wanted, const Run& found);

struct RunClaim {
  FileLock lock;             ///< nobody else works in the folder while it lives
  bool more_epochs = false;  ///< the run is there and had fewer
};
/// Makes a run folder, or makes sure that the run it holds is this one. It may have fewer epochs,
/// at most, than are wanted now, and gets those, unless its learning rate depends on their number
/// (Schedule::Cosine). Throws Error when the folder holds another run or other files, or another
/// process is at work there.
RunClaim claim_run_folder(const std::filesystem::path& folder, const Run& run);
/// Remarks that patience ended a run before the epochs that it got in addition.
void note_patience(const RunClaim& claim, const TrainingHistory& history,
                   const RunSettings& settings, const std::filesystem::path& folder);

/// How the features of a stream are made, with the place of the weights as it is now: weights that
/// were moved together with the run are found. Throws Error when the features came from elsewhere.
FeatureRecipe feature_recipe(const Run& run, const std::string& stream,
                             const std::filesystem::path& folder);

/// The file of the best epoch's model. Throws Error when the run has not got that far.
std::filesystem::path model_file(const std::filesystem::path& folder);
/// What the best epoch's model said of the validation clips: one row per clip.
Matrix<float> validation_probabilities(const std::filesystem::path& folder);
/// The best epoch's model of a run on features. Throws Error when the run has not got that far.
Mlp load_model(const std::filesystem::path& folder, const Run& run);
/// The same of a run on clips.
PreparedBackbone load_backbone(const std::filesystem::path& folder, const Run& run);

}  // namespace manyverbs
