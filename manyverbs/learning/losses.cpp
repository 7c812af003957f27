// SPDX-License-Identifier: MIT
#include "manyverbs/learning/losses.h"

#include <array>
#include <string>
#include <vector>

#include "manyverbs/learning/internal/loss_functions.h"
#include "manyverbs/support/error.h"
#include "manyverbs/support/internal/spelling.h"

namespace manyverbs {
namespace learning_internal {
namespace {

constexpr auto kAbsent = Label::Absent;
constexpr auto kSigmoid = Activation::Sigmoid;

constexpr std::array kLosses = std::to_array<Loss>({
    {"an", "AN", "Assume Negative: an unchecked class is absent", kAbsent, kSigmoid, true,
     assume_negative},
    {"wan", "WAN",
     "Weak Assume Negative: all unchecked classes together weigh as much as the label", kAbsent,
     kSigmoid, true, weak_assume_negative},
    {"ls", "LS", "Label Smoothing: smoothed targets for all classes", kAbsent, kSigmoid, true,
     label_smoothing},
    {"n-ls", "N-LS", "Negative Label Smoothing: smoothed targets for unchecked classes only",
     kAbsent, kSigmoid, true, negative_label_smoothing},
    {"focal", "Focal", "Focal: correct predictions have less weight", kAbsent, kSigmoid, false,
     focal},
    {"em", "EM", "Entropy Maximisation: maximises the entropy of unchecked classes", kAbsent,
     kSigmoid, true, entropy_maximisation},
    {"mask", "Mask", "Assume Negative, but pseudo-labels are ignored (proposed by the paper)",
     Label::Unknown, kSigmoid, true, assume_negative},
    {"p+s", "P+S", "Assume Negative, but pseudo-labels are present (proposed by the paper)",
     Label::Present, kSigmoid, true, assume_negative},
    {"ce", "CE", "Cross-entropy: exactly one class is present", kAbsent, Activation::Softmax, false,
     cross_entropy},
    {"ce-mask", "CE-Mask", "Cross-entropy, but pseudo-labels are left out of the softmax",
     Label::Unknown, Activation::Softmax, false, cross_entropy},
    {"ce-p+s", "CE-P+S", "Cross-entropy, with equal targets for label and pseudo-labels",
     Label::Present, Activation::Softmax, false, cross_entropy},
    {"cross-fit", "Cross-fit",
     "Cross-entropy, with the predictions of networks trained on other clips as targets", kAbsent,
     Activation::Softmax, false, cross_entropy, nullptr, false, false, /*cross_fitted=*/true},
    {"cross-mask", "Cross-Mask",
     "Mask, with the predictions of networks trained on other clips as pseudo-labels",
     Label::Unknown, Activation::SharedSigmoid, true, assume_negative, nullptr, false, false,
     /*cross_fitted=*/true},
    {"asl", "ASL", "Asymmetric Loss: focal, with far less weight for easy unchecked classes",
     kAbsent, kSigmoid, true, asymmetric},
    {"hill", "Hill", "Hill: unchecked classes with a very high probability have less weight",
     kAbsent, kSigmoid, true, hill},
    {"splc", "SPLC",
     "Self-Paced Loss Correction: unchecked classes with a high probability count as present",
     kAbsent, kSigmoid, true, self_paced_correction},
    {"ll-r", "LL-R", "Large Loss, rejection: the largest losses of unchecked classes are ignored",
     kAbsent, kSigmoid, true, reject_large_losses},
    {"ll-ct", "LL-Ct", "Large Loss, temporary correction: these classes are present for one step",
     kAbsent, kSigmoid, true, correct_large_losses},
    {"ll-cp", "LL-Cp", "Large Loss, permanent correction: these classes are present from then on",
     kAbsent, kSigmoid, true, correct_permanently, corrected_labels},
    {"em-apl", "EM+APL",
     "Asymmetric Pseudo-Labelling: EM, with soft labels for the least probable classes", kAbsent,
     kSigmoid, true, entropy_maximisation, soft_labels, /*uses_epochs=*/true},
    {"gr", "GR Loss",
     "Generalised Robust Loss: unchecked classes are present with an estimated probability",
     kAbsent, kSigmoid, true, generalised_robust, nullptr, /*uses_epochs=*/true},
    {"role", "ROLE",
     "Regularised Online Label Estimation: EPR, with trained estimates of all labels", kAbsent,
     kSigmoid, true, expected_positive_regularisation, estimated_labels, false,
     /*uses_expected_labels=*/true},
    {"epr", "EPR",
     "Expected Positive Regularisation: no absent classes, but an expected number of labels",
     kAbsent, kSigmoid, true, expected_positive_regularisation, nullptr, false,
     /*uses_expected_labels=*/true},
});

}  // namespace
}  // namespace learning_internal

std::span<const Loss> all_losses() { return learning_internal::kLosses; }

double gradient_scale(const Loss& loss, Recipe recipe, int classes) {
  return loss.summed && recipe == Recipe::Paper ? classes : 1;
}

const Loss& find_loss(std::string_view name) {
  std::vector<std::string> names;
  for (const Loss& loss : all_losses()) {
    if (loss.name == name) return loss;
    names.emplace_back(loss.name);
  }
  throw Error("unknown loss '{}'{}", name, did_you_mean_or_list(name, names));
}

}  // namespace manyverbs
