// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manyverbs/dataset/internal/dataset_content.h"
#include "manyverbs/dataset/vocabulary.h"
#include "manyverbs/features/internal/feature_recipe.h"
#include "manyverbs/learning/history.h"
#include "manyverbs/learning/settings.h"
#include "manyverbs/support/internal/files.h"
#include "manyverbs/support/internal/json.h"
#include "manyverbs/support/matrix.h"

namespace manyverbs {

class Mlp;

/// A run is the folder of one training, on features or on clips. Its model can be used without the
/// data set.
///
///   run.json                 kind, settings, classes, and hashes of the inputs
///   model.safetensors        the weights of the best epoch, its probabilities for the validation
///                            clips, and the labels of these clips
///   checkpoint.safetensors   the last saved state, from which training resumes
///   cross_fit.npy            with cross-fit and cross-mask: predicted shares of training clips
///   learn.json               the search for the settings, if learn_run() has made it
///   log.csv                  one line per epoch
///   events.out.tfevents.*    the same for TensorBoard, one file per call
///   pseudo_labels/           of a run on clips: the pseudo-labels of each refresh
struct Run {
  /// As used: streams, segments and the path of the initial weights are filled in.
  RunSettings settings;
  std::vector<std::string> classes;
  int feature_columns = 0;  ///< of all streams together, for a run on features

  std::filesystem::path dataset;  ///< folder, absolute
  DatasetContent made_from;       ///< labels and features when the run started
  /// Of the pseudo-labels; empty if the loss does not use them or the run makes them itself.
  std::string pseudo_labels_hash;
  std::string weights_hash;  ///< of the initial weights; empty if random
  std::string videos_hash;   ///< of the training and validation clips of a run on clips

  /// How the features of each stream were computed from videos: to_json() of a FeatureRecipe.
  /// Imported streams are not included.
  std::map<std::string, Json> recipes;
  std::optional<FlowSettings> flow;  ///< how flow was computed, for a run on clips with flow
};

/// run.json of a run in a folder. It has the path of the data set twice: absolute, and relative to
/// the folder, so that both can be moved together.
Json to_json(const Run& run, const std::filesystem::path& folder);
/// The run in a folder. Its data set is found at the relative or the absolute path; if both exist,
/// the content of the labels decides. Throws Error if the folder is not a run or run.json has
/// another format.
Run read_run(const std::filesystem::path& folder);
/// Throws Error if a run is of another kind.
void require_kind(const Run& run, RunKind kind, const std::filesystem::path& folder);

/// The first difference between two runs, or "": "its learning_rate is 0.001, requested 0.0001".
/// Data set and initial weights are compared by content, not by path.
std::string difference(const Run& wanted, const Run& found);

/// Whether a run can be created in a folder: it is empty, except for temporary files and the search
/// of learn_run().
bool is_free_for_run(const std::filesystem::path& folder);

struct RunClaim {
  FileLock lock;             ///< locks the folder while it exists
  bool more_epochs = false;  ///< the run existed with fewer epochs
};
/// Creates a run folder, or checks that the existing run has the same settings and inputs. The
/// maximum number of epochs may be raised, unless the learning rate depends on it
/// (Schedule::Cosine). Throws Error if the folder contains another run or other files, or if
/// another process uses it.
RunClaim claim_run_folder(const std::filesystem::path& folder, const Run& run);
/// Prints a remark if a run with more epochs than before had stopped early.
void note_patience(const RunClaim& claim, const TrainingHistory& history,
                   const RunSettings& settings, const std::filesystem::path& folder);

/// How the features of a stream are computed, with the current path of the weights, which may have
/// been moved together with the run. Throws Error for imported features.
FeatureRecipe feature_recipe(const Run& run, const std::string& stream,
                             const std::filesystem::path& folder);

/// The file of the model of the best epoch. Throws Error if there is none yet.
std::filesystem::path model_file(const std::filesystem::path& folder);

/// What a run stores about its validation clips.
struct ValidationClips {
  Matrix<float> probabilities;  ///< of the best epoch: one row per clip
  /// The label of each clip, or -1 if it has several; empty for runs made before labels were
  /// stored.
  std::vector<ClassId> labels;
  LabelMatrix label_sets;  ///< if a clip has several labels; otherwise empty
};
/// Throws Error if there is no model yet, or if its file has no probabilities or invalid labels.
ValidationClips validation_clips(const std::filesystem::path& folder);
/// Whether the model was trained again with the validation clips (refit.h).
bool is_refitted(const std::filesystem::path& folder);
/// The model of the best epoch of a run on features. Throws Error if there is none yet.
Mlp load_model(const std::filesystem::path& folder, const Run& run);
/// The same for a run on clips.
PreparedBackbone load_backbone(const std::filesystem::path& folder, const Run& run);

}  // namespace manyverbs
