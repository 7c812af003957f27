// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "manyverbs/server/internal/finalising.h"
#include "manyverbs/server/internal/store.h"

namespace manyverbs {

/// Exports of the answers for other programs. Each file is written completely or not at all.

/// The input of an export.
struct AnnotationResult {
  const AnnotationProject* project = nullptr;
  std::vector<Person> people;
  std::vector<StoredAnswer> answers;  ///< all, including corrected and excluded ones
  int people_per_clip = 3;            ///< clips with fewer answers have no result
  std::vector<PlayReport> reports = {};
  LabelRule rule = LabelRule::Half;
  std::vector<Decision> decisions = {};  ///< all, including undone ones; they win over the rule
  std::vector<std::string> former_names = {};  ///< of people who were renamed or removed
  bool pseudonyms = false;                     ///< names were replaced, see use_pseudonyms()
  std::string videos = {};  ///< what export_label_studio() writes before "clips/1.mp4"
  bool features = true;     ///< whether export_dataset() links or copies features
};

/// Replaces the names of people, also former ones, also in reasons and comments, by pseudonyms:
/// "p-3fa41c09d2".
/// They are the same in all exports with the same secret, and do not tell who was invited first.
void use_pseudonyms(const std::string& secret, AnnotationResult* result);

/// The clips with their valid answers, and with their result.
std::vector<AnsweredClip> counted_clips(const AnnotationResult& result);
std::vector<FinalClip> final_clips_of(const AnnotationResult& result);

struct ExportReport {
  int written = 0;                       ///< clips, answers, verbs or remarks
  int settled = 0;                       ///< written clips whose labels the leader settled
  std::map<Outcome, int> left_out = {};  ///< annotated clips without labels, by reason
  int dropped = 0;  ///< clips removed from the data set: without a label they cannot be val clips
};

/// Writes a copy of the project's data set whose test split is the annotation result. Each test
/// clip keeps its original label beside the new ones, for a second round. Clips of the annotated
/// split without a result, and test clips that were not annotated, become val clips with their
/// original label, as in the paper; clips without a known original label are dropped. left_out.csv
/// lists the annotated clips that are not in the test split, with the reason, settled.csv those
/// with labels by the leader (clip,labels,reason), selection.json how the clips were chosen; with
/// LabelRule::Model, posteriors.csv has the content of export_posteriors(). Feature files are
/// linked, or copied without the rows of dropped clips. Throws Error when the folder exists, the
/// data set is missing or its classes have changed.
ExportReport export_dataset(const AnnotationResult& result, const std::filesystem::path& folder);

/// CSV in the format of EPIC-Kitchens-100-SPMV: narration_id,verb_labels with labels such as "[3,
/// 17]"; a third column, settled, is 1 if they are the leader's.
ExportReport export_spmv(const AnnotationResult& result, const std::filesystem::path& file);

/// CSV with one line per candidate of each clip that has labels, by LabelRule::Model: clip, verb,
/// posterior (the probability that the verb applies, six decimals), chosen and answers (by how many
/// people of how many), label (1 or 0), settled (1 if the leader decided on the labels). A label
/// that is not a candidate has no posterior.
ExportReport export_posteriors(const AnnotationResult& result, const std::filesystem::path& file);

/// One JSON object per line and answer, ordered by time: annotator, name, excluded, task, item,
/// gold (whether it is a gold clip), labels, confident, nothing, other, other_verb, flagged,
/// comment, ms, time, replaced. Then one per decision of the leader: decision ("settled" or
/// "left_out"), task, item, labels, reason, time, undone. With pseudonyms, annotator is the
/// pseudonym, and there is no name.
ExportReport export_answers(const AnnotationResult& result, const std::filesystem::path& file);

/// Label Studio tasks with annotations: verbs, "not confident", the reason why no verb is chosen
/// and flags are choices, entered verbs and comments are texts. The annotators' names are in the
/// task data, because Label Studio accepts only its own users. Labels settled by the leader are one
/// more annotation, marked as ground_truth.
ExportReport export_label_studio(const AnnotationResult& result, const std::filesystem::path& file);

/// other_verbs_csv(); counts the verbs.
ExportReport export_other_verbs(const AnnotationResult& result, const std::filesystem::path& file);

/// remarks_csv(); counts the remarks.
ExportReport export_remarks(const AnnotationResult& result, const std::filesystem::path& file);

/// A folder for CVAT, which has tags of frames but no labels of whole videos: the labels of a clip
/// are tags of its first frame.
///
///   labels.json         the labels of a project
///   tasks.csv           task,annotations,video,settled,clip: one CVAT task per clip
///   annotations/1.xml   CVAT for images 1.1
ExportReport export_cvat(const AnnotationResult& result, const std::filesystem::path& folder);

/// The formats: "dataset", "spmv", "posteriors", "jsonl", "label-studio", "cvat",
/// "verbs" and "comments".
struct ExportFormat {
  std::string name;
  ExportReport (*write)(const AnnotationResult&, const std::filesystem::path&);
  std::string extension;  ///< of the file; "" for a folder
};
const std::vector<ExportFormat>& export_formats();

}  // namespace manyverbs
