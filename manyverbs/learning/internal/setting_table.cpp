// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/setting_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "manyverbs/features/internal/clip_tensor.h"
#include "manyverbs/features/internal/tsm.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace {

constexpr auto kBoth = SettingOf::Both;
constexpr auto kFeatures = SettingOf::Features;
constexpr auto kClips = SettingOf::Clips;

constexpr SettingRange kAboveZero = {.low = 0, .without_low = true};
constexpr SettingRange from_up(double low) { return {.low = low}; }
constexpr SettingRange from_to(double low, double high) { return {.low = low, .high = high}; }

// The words of an enumeration.
template <typename Choice, std::string_view (*kName)(Choice), int kCount = 2>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (int i = 0; i < kCount; ++i) words.emplace_back(kName(Choice{i}));
  return words;
}

std::vector<std::string> loss_words() {
  std::vector<std::string> names;
  for (const Loss& loss : all_losses()) names.emplace_back(loss.name);
  return names;
}

// Returns a pointer to a member of RunSettings: place<&RunSettings::clips,
// &ClipRunSettings::size>.
template <auto... kMembers>
SettingPlace place(RunSettings& settings) {
  return &(settings.*....*kMembers);
}
template <auto kMember>
constexpr auto kOfLoss = place<&RunSettings::loss_settings, kMember>;
template <auto kMember>
constexpr auto kOfFeatures = place<&RunSettings::features, kMember>;
template <auto kMember>
constexpr auto kOfCrossFit = place<&RunSettings::features, &FeatureRunSettings::cross_fit, kMember>;
template <auto kMember>
constexpr auto kOfClips = place<&RunSettings::clips, kMember>;
template <auto kMember>
constexpr auto kOfRefresh = place<&RunSettings::clips, &ClipRunSettings::refresh, kMember>;

constexpr std::string_view kPseudoLabelled = "mask,p+s,ce-mask,ce-p+s";

// clang-format off
constexpr std::array kSettings = std::to_array<Setting>({
    {"loss", "--loss", kFeatures, place<&RunSettings::loss>,
     "Loss; 'manyverbs train --help' describes all losses", {}, loss_words},
    {"loss", "--loss", kClips, place<&RunSettings::loss>,
     "Loss: ce to extract features with the backbone, others to train end to end; cross-fit and "
     "cross-mask need 'manyverbs train'", {}, loss_words},
    {"pseudo_labels", "--pseudo-labels", kFeatures, kOfFeatures<&FeatureRunSettings::pseudo_labels>,
     "For losses with pseudo-labels: a name in DATASET/pseudo_labels, or a CSV file", {}, nullptr, kPseudoLabelled},
    {"streams", "--features", kFeatures, kOfFeatures<&FeatureRunSettings::streams>,
     "Streams to use, comma-separated; default: all"},
    {"stream", "--stream", kClips, kOfClips<&ClipRunSettings::stream>,
     "rgb, or flow computed by 'manyverbs flow'", {}, words_of<Stream, stream_name>},
    {"weights", "--weights", kClips, kOfClips<&ClipRunSettings::weights>,
     "Initial weights: .pth, .pt, .ckpt or .safetensors; default: random weights"},
    {"backbone", "--backbone", kClips, kOfClips<&ClipRunSettings::backbone>,
     "Network; default: that of the weights, otherwise resnet50", {}, backbone_names},
    {"width", "--width", kClips, kOfClips<&ClipRunSettings::width>,
     "Channels of the first convolution of a network with random weights", from_to(8, 256)},
    {"segments", "--segments", kClips, kOfClips<&ClipRunSettings::segments>,
     "Frames per clip; default: that of the weights, otherwise 8", from_to(1, 1024)},
    {"size", "--size", kClips, kOfClips<&ClipRunSettings::size>,
     "Input size in pixels", from_to(kSmallestSize, 4096)},
    {"mirror", "--no-mirror", kClips, kOfClips<&ClipRunSettings::mirror>,
     "Disable horizontal flips, for labels that distinguish left and right"},
    {"dropout", "--dropout", kClips, place<&RunSettings::dropout>,
     "Dropout rate of the features", from_to(0, 0.99)},
    {"partial_batch_norm", "--partial-batch-norm", kClips, kOfClips<&ClipRunSettings::partial_batch_norm>,
     "Train only the first batch norm layer"},
    {"hidden", "--hidden", kFeatures, kOfFeatures<&FeatureRunSettings::hidden>,
     "Sizes of the hidden layers, comma-separated", kAboveZero},
    {"members", "--members", kFeatures, kOfFeatures<&FeatureRunSettings::members>,
     "Networks into which the hidden units are divided; their scores are averaged", from_to(1, 1024)},
    {"dropout", "--dropout", kFeatures, place<&RunSettings::dropout>,
     "Dropout rate of the hidden layers", from_to(0, 0.99)},
    {"learning_rate", "--lr", kFeatures, place<&RunSettings::learning_rate>,
     "Learning rate of Adam", kAboveZero},
    {"learning_rate", "--lr", kClips, place<&RunSettings::learning_rate>,
     "Learning rate of SGD; if the recipe averages over classes where the released code sums, "
     "gradients are multiplied by the number of classes", kAboveZero},
    {"gpus", "--gpus", kClips, kOfClips<&ClipRunSettings::gpus>,
     "With --recipe released and without --lr, the learning rate is that of the released code with --batch clips on "
     "each of these GPUs: min(5e-6 x batch x GPUs^2, 0.00128)", from_to(1, 1024), nullptr, "", false},
    {"schedule", "--schedule", kBoth, place<&RunSettings::schedule>,
     "Learning rate: constant; plateau: divide by 10 when the validation loss stops improving; "
     "cosine: decay to 0", {}, words_of<Schedule, schedule_name, 3>},
    {"momentum", "--momentum", kClips, kOfClips<&ClipRunSettings::momentum>,
     "Momentum of SGD", from_to(0, 0.9999)},
    {"weight_decay", "--weight-decay", kClips, kOfClips<&ClipRunSettings::weight_decay>,
     "Weight decay of SGD", from_up(0)},
    {"batch", "--batch", kBoth, place<&RunSettings::batch>, "Clips per step", from_to(2, 1 << 20)},
    {"epochs", "--epochs", kBoth, place<&RunSettings::epochs>,
     "Maximum number of epochs", kAboveZero},
    {"patience", "--patience", kBoth, place<&RunSettings::patience>,
     "Stop after this number of epochs without improvement", kAboveZero},
    {"seed", "--seed", kFeatures, place<&RunSettings::seed>,
     "Seed of the initial weights, the order of clips and dropout", from_up(0)},
    {"seed", "--seed", kClips, place<&RunSettings::seed>,
     "Seed of the initial weights, the order of clips, augmentation and dropout", from_up(0)},
    {"pseudo_labels", "--pseudo-labels", kClips, kOfClips<&ClipRunSettings::pseudo_labels>,
     "For losses with pseudo-labels: a name in DATASET/pseudo_labels, or a CSV file; default: made from the "
     "current features during the training", {}, nullptr, kPseudoLabelled, true, true},
    {"refresh", "--refresh", kClips, kOfRefresh<&RefreshSettings::every>,
     "For losses with pseudo-labels: epochs between new pseudo-labels", kAboveZero, nullptr, kPseudoLabelled},
    {"warm_up", "--warm-up", kClips, kOfRefresh<&RefreshSettings::warm_up>,
     "Epochs before the first pseudo-labels", from_up(0), nullptr, kPseudoLabelled},
    {"k", "--k", kClips, kOfRefresh<&RefreshSettings::k>,
     "Neighbours per clip", from_up(1), nullptr, kPseudoLabelled},
    {"tau", "--tau", kClips, kOfRefresh<&RefreshSettings::tau>,
     "Vote threshold: a class is suggested if its share of the votes is greater", from_to(0, 1), nullptr, kPseudoLabelled},
    {"metric", "--metric", kClips, kOfRefresh<&RefreshSettings::metric>,
     "Distance between clips", {}, words_of<Metric, metric_name>, kPseudoLabelled},
    {"recipe", "--recipe", kBoth, place<&RunSettings::recipe>,
     "Follow the text of the paper or its released code where they differ", {},
     words_of<Recipe, recipe_name>},
    {"protocol", "--protocol", kBoth, place<&RunSettings::protocol>,
     "clean: select the epoch by the rank of the label on val, or on a held-out tenth of train; "
     "paper: by top-1 accuracy on val, or on test", {}, words_of<Protocol, protocol_name>},
    {"checkpoint_seconds", "--checkpoint-seconds", kBoth, place<&RunSettings::checkpoint_seconds>,
     "Minimum time between checkpoints, which are written at the end of epochs", from_up(0), nullptr, "", false},
    {"smoothing", "--smoothing", kBoth, kOfLoss<&LossSettings::smoothing>,
     "Epsilon of ls and n-ls", from_to(0, 1), nullptr, "ls,n-ls"},
    {"focal_balance", "--focal-balance", kBoth, kOfLoss<&LossSettings::focal_balance>,
     "Alpha of focal", from_to(0, 1), nullptr, "focal"},
    {"focal_focus", "--focal-focus", kBoth, kOfLoss<&LossSettings::focal_focus>,
     "Gamma of focal, hill and splc", from_to(1, 100), nullptr, "focal,hill,splc"},
    {"entropy_weight", "--entropy-weight", kBoth, kOfLoss<&LossSettings::entropy_weight>,
     "Alpha of em and em-apl", from_to(0, 100), nullptr, "em,em-apl"},
    {"asl_focus_present", "--asl-focus-present", kBoth, kOfLoss<&LossSettings::asl_focus_present>,
     "Gamma of asl for own labels", from_to(0, 100), nullptr, "asl"},
    {"asl_focus_absent", "--asl-focus-absent", kBoth, kOfLoss<&LossSettings::asl_focus_absent>,
     "Gamma of asl for unchecked classes", from_to(0, 100), nullptr, "asl"},
    {"asl_clip", "--asl-clip", kBoth, kOfLoss<&LossSettings::asl_clip>,
     "Probability below which asl ignores an unchecked class", from_to(0, 1), nullptr, "asl"},
    {"margin", "--margin", kBoth, kOfLoss<&LossSettings::margin>,
     "Margin of hill and splc, subtracted from the scores of own labels", from_to(0, 100), nullptr, "hill,splc"},
    {"hill_lambda", "--hill-lambda", kBoth, kOfLoss<&LossSettings::hill_lambda>,
     "Lambda of hill", from_to(1, 100), nullptr, "hill"},
    {"splc_threshold", "--splc-threshold", kBoth, kOfLoss<&LossSettings::splc_threshold>,
     "Probability above which splc takes an unchecked class as present; 0.65 for COCO with 75 % of the labels",
     from_to(0, 1), nullptr, "splc"},
    {"splc_warm_up", "--splc-warm-up", kBoth, kOfLoss<&LossSettings::splc_warm_up>,
     "Epochs before splc corrects labels", from_up(0), nullptr, "splc"},
    {"large_loss_rate", "--large-loss-rate", kBoth, kOfLoss<&LossSettings::large_loss_rate>,
     "Percent of the targets of a batch that count as large losses after the first epoch; for ll-r and ll-ct, "
     "as many more in each epoch; 0.1 to 0.5 by its authors", from_to(0, 100), nullptr, "ll-r,ll-ct,ll-cp"},
    {"apl_weight", "--apl-weight", kBoth, kOfLoss<&LossSettings::apl_weight>,
     "Beta of em-apl, the weight of soft labels; default for VOC, 0.9 for COCO with --entropy-weight 0.1",
     from_to(0, 100), nullptr, "em-apl"},
    {"apl_share", "--apl-share", kBoth, kOfLoss<&LossSettings::apl_share>,
     "Share of the unchecked clips of a class with soft labels after the last of --epochs", from_to(0, 1), nullptr, "em-apl"},
    {"apl_warm_up", "--apl-warm-up", kBoth, kOfLoss<&LossSettings::apl_warm_up>,
     "Epochs before the first soft labels", from_up(0), nullptr, "em-apl"},
    {"gr_slope_start", "--gr-slope-start", kBoth, kOfLoss<&LossSettings::gr_slope_start>,
     "w of gr in the first epoch; this and the following change evenly until the last of --epochs",
     from_to(-1000, 1000), nullptr, "gr"},
    {"gr_slope_end", "--gr-slope-end", kBoth, kOfLoss<&LossSettings::gr_slope_end>,
     "w of gr in the last epoch; default for VOC, 10 for COCO, NUS and CUB", from_to(-1000, 1000), nullptr, "gr"},
    {"gr_offset_start", "--gr-offset-start", kBoth, kOfLoss<&LossSettings::gr_offset_start>,
     "b of gr in the first epoch", from_to(-1000, 1000), nullptr, "gr"},
    {"gr_offset_end", "--gr-offset-end", kBoth, kOfLoss<&LossSettings::gr_offset_end>,
     "b of gr in the last epoch; default for VOC, -8 for COCO, NUS and CUB", from_to(-1000, 1000), nullptr, "gr"},
    {"gr_mean_start", "--gr-mean-start", kBoth, kOfLoss<&LossSettings::gr_mean_start>,
     "Mu of gr in the first epoch", from_to(0, 1), nullptr, "gr"},
    {"gr_mean_end", "--gr-mean-end", kBoth, kOfLoss<&LossSettings::gr_mean_end>,
     "Mu of gr in the last epoch", from_to(0, 1), nullptr, "gr"},
    {"gr_spread_start", "--gr-spread-start", kBoth, kOfLoss<&LossSettings::gr_spread_start>,
     "Sigma of gr in the first epoch", from_to(0.01, 100), nullptr, "gr"},
    {"gr_spread_end", "--gr-spread-end", kBoth, kOfLoss<&LossSettings::gr_spread_end>,
     "Sigma of gr in the last epoch", from_to(0.01, 100), nullptr, "gr"},
    {"gr_q_present", "--gr-q-present", kBoth, kOfLoss<&LossSettings::gr_q_present>,
     "q2 of gr", from_to(0.001, 10), nullptr, "gr"},
    {"gr_q_absent", "--gr-q-absent", kBoth, kOfLoss<&LossSettings::gr_q_absent>,
     "q3 of gr; 1.5 for CUB", from_to(0.001, 10), nullptr, "gr"},
    {"mixup", "--mixup", kFeatures, kOfFeatures<&FeatureRunSettings::mixup>,
     "Alpha of mixup, for ce, cross-fit and the folds of cross-mask: train on mixtures of two clips; 0: off",
     from_to(0, 1), nullptr, "ce,cross-fit,cross-mask"},
    {"folds", "--folds", kFeatures, kOfCrossFit<&CrossFitSettings::folds>,
     "Parts of the training clips for cross-fit and cross-mask; networks trained on the others predict each part",
     from_to(2, 100), nullptr, "cross-fit,cross-mask"},
    {"rounds", "--rounds", kFeatures, kOfCrossFit<&CrossFitSettings::rounds>,
     "Times to divide the training clips into folds; predictions are averaged", from_to(1, 100), nullptr, "cross-fit,cross-mask"},
    {"label_weight", "--label-weight", kFeatures, kOfCrossFit<&CrossFitSettings::label_weight>,
     "Weight of the own label in the targets of cross-fit; predictions have the rest", from_to(0, 1), nullptr, "cross-fit"},
    {"least_share", "--least-share", kFeatures, kOfCrossFit<&CrossFitSettings::least_share>,
     "Predicted share above which cross-mask ignores a class", from_to(0, 1), nullptr, "cross-mask"},
    {"fold_learning_rate", "--fold-lr", kFeatures, kOfCrossFit<&CrossFitSettings::fold_learning_rate>,
     "Learning rate of the networks that predict the folds of cross-fit and cross-mask; default: --lr",
     kAboveZero, nullptr, "cross-fit,cross-mask", true, true},
    {"fold_epochs", "--fold-epochs", kFeatures, kOfCrossFit<&CrossFitSettings::fold_epochs>,
     "Epochs of these networks; default: --epochs", kAboveZero, nullptr, "cross-fit,cross-mask", true, true},
    {"refit", "--refit", kFeatures, kOfFeatures<&FeatureRunSettings::refit>,
     "After validation clips have selected the epoch, train again on training and validation clips together; "
     "thresholds stay those of the first training", {}, nullptr, "ce,cross-fit,cross-mask", true, true},
    {"expected_labels", "--expected-labels", kBoth, kOfLoss<&LossSettings::expected_labels>,
     "Expected labels per clip, required for role and epr; for ce, cross-fit and cross-mask it only sets the default "
     "threshold of predictions", kAboveZero, nullptr, "role,epr,ce,cross-fit,cross-mask"},
});
// clang-format on

// Whether run.json has a setting. The numbers of a loss are only in runs with this loss, so that a
// new loss does not change the files of others.
bool is_in_file(const Setting& setting, RunKind kind, std::string_view loss) {
  const bool of_all = setting.losses.empty() || setting.losses == kPseudoLabelled;
  return setting.stored && setting.is_of(kind) && (of_all || setting.is_used_by(loss));
}

// A pointer to the value of a setting, read-only.
SettingPlace place_of(const Setting& setting, const RunSettings& settings) {
  return setting.place(const_cast<RunSettings&>(settings));
}

std::size_t find_word(const std::string& word, const Setting& setting,
                      const std::filesystem::path& path) {
  const std::vector<std::string> words = setting.words();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    throw Error("{}: unknown {} '{}'{}", path.string(), setting.key, word,
                did_you_mean_or_list(word, words));
  }
  return found - words.begin();
}

template <typename T>
void set(const Setting& setting, const Json& json, const std::filesystem::path& path, T* value) {
  const std::string key(setting.key);
  if constexpr (std::is_enum_v<T>) {
    *value = static_cast<T>(find_word(json_value<std::string>(json, key, path), setting, path));
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    *value = json_value<std::string>(json, key, path);
  } else {
    *value = json_value<T>(json, key, path);
  }
  if constexpr (std::is_same_v<T, std::string>) {
    if (setting.words != nullptr && !value->empty()) find_word(*value, setting, path);
  }
}

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

Json setting_value(const Setting& setting, const RunSettings& settings) {
  return std::visit(
      [&](const auto* value) -> Json {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_enum_v<T>) {
          return setting.words()[static_cast<std::size_t>(*value)];
        } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
          return value->string();
        } else {
          return *value;
        }
      },
      place_of(setting, settings));
}

bool Setting::is_used_by(std::string_view loss) const {
  std::string_view rest = losses;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == loss) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return losses.empty();
}

namespace {

void check_members(const RunSettings& settings, const Loss& loss) {
  const int members = settings.features.members;
  if (settings.kind != RunKind::Features || members == 1) return;
  if (loss.memory != nullptr) {
    throw Error("the loss {} stores values for every training clip, which requires --members 1",
                loss.name);
  }
  for (const int size : settings.features.hidden) {
    if (members >= 1 && size % members == 0) continue;
    throw Error("a hidden layer of {} units cannot be divided into {} members of equal size", size,
                members);
  }
}

}  // namespace

void check_loss(const RunSettings& settings, int classes) {
  const Loss& loss = find_loss(settings.loss);
  if (settings.kind == RunKind::Clips && loss.cross_fitted) {
    throw Error("the loss {} trains many networks, which only 'manyverbs train' supports",
                loss.name);
  }
  check_members(settings, loss);
  if (settings.features.refit && !loss.can_refit()) {
    throw Error("the loss {} cannot be trained again with the validation clips (--refit)",
                loss.name);
  }
  if (settings.features.refit && settings.schedule == Schedule::Plateau) {
    throw Error(
        "--refit requires --schedule constant or cosine: plateau follows the loss of the "
        "validation "
        "clips, which are training clips then");
  }
  const double expected = settings.loss_settings.expected_labels;
  const bool is_valid = expected > 0 && expected <= classes;
  if (loss.has_expected_threshold() && expected != 0 && !is_valid) {
    throw Error(
        "expected labels per clip: expected a number above 0 and at most {}, the number of "
        "classes; found {}",
        classes, expected);
  }
  if (loss.uses_expected_labels && !is_valid) {
    throw Error(
        "the loss {} requires the expected number of labels per clip: --expected-labels above 0 "
        "and at most {}, the number of classes; found {}",
        loss.name, classes, expected);
  }
  for (const Setting& setting : kSettings) {
    const bool of_loss = !setting.losses.empty() && setting.is_used_by(loss.name);
    if (!of_loss || !setting.is_of(settings.kind)) continue;
    const Json value = setting_value(setting, settings);
    if (value == setting_value(setting, default_settings(settings.kind))) continue;
    if (!value.is_number() || setting.range.has(value.get<double>())) continue;
    const std::string valid =
        std::isinf(setting.range.high)
            ? fmt::format("from {} up", setting.range.low)
            : fmt::format("from {} to {}", setting.range.low, setting.range.high);
    throw Error("invalid {} {} for the loss {}; expected a number {}", setting.key,
                value.get<double>(), loss.name, valid);
  }
}

RunKind find_run_kind(const std::string& name, const std::filesystem::path& path) {
  for (const RunKind kind : {RunKind::Features, RunKind::Clips}) {
    if (run_kind_name(kind) == name) return kind;
  }
  throw Error("{}: expected the kind features or clips, found '{}'", path.string(), name);
}

Json to_json(const RunSettings& settings) {
  Json json;
  for (const Setting& setting : kSettings) {
    if (!is_in_file(setting, settings.kind, settings.loss)) continue;
    json[std::string(setting.key)] = setting_value(setting, settings);
  }
  return json;
}

RunSettings settings_of(const Json& json, RunKind kind, const std::filesystem::path& path) {
  RunSettings settings = default_settings(kind);
  for (const Setting& setting : kSettings) {  // the loss is the first
    if (!is_in_file(setting, kind, settings.loss)) continue;
    if (setting.is_new && !json.contains(setting.key)) continue;
    std::visit([&](auto* value) { set(setting, json, path, value); }, setting.place(settings));
  }
  return settings;
}

}  // namespace manyverbs
