// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace manyverbs {

/// A model of annotators (Dawid and Skene 1979, binary, with priors): how often each person is
/// right, and how likely each verb of each clip applies, both estimated from the answers alone.
///
/// An item i is a candidate verb of a clip. It applies (z_i = 1) or not. Person j chose it (y_ij =
/// 1) or not. Given z_i, the answers of different people are independent:
///
///   P(z_i = 1)            = prevalence p_v of its verb v      p_v ~ Beta
///   P(y_ij = 1 | z_i = 1) = sensitivity s_j of the person     s_j ~ Beta
///   P(y_ij = 0 | z_i = 0) = specificity c_j of the person     c_j ~ Beta
///
/// Some verbs are harder than others. So s and c of a person are estimated first, over all verbs;
/// then, with these, the rates of each person for each verb, and with those the labels.
///
/// Somebody who answers at random has s + c = 1, and their answers change no posterior; s + c < 1
/// is a person who answers the opposite, and their answers count against what they say.

/// Beta(a, b), as if a - 1 right and b - 1 wrong answers had been seen before; both above 1.
struct BetaPrior {
  double a;
  double b;
};

/// The defaults say what is usual in a round: most people are better than chance, and most of the
/// candidates do not apply.
struct AnnotatorPriors {
  BetaPrior sensitivity = {4, 2};
  BetaPrior specificity = {6, 2};
  BetaPrior prevalence = {2, 4};
  /// How many answers the rates of a person count when their rates for one verb are estimated; 0:
  /// the same rates for all verbs.
  double verb_strength = 20;
};

/// One answer of a person to one item.
struct ItemDecision {
  int person = 0;
  bool chosen = false;
};

struct DecidedItem {
  int verb = 0;
  /// The verb is known to apply, as the original label of a clip does. Such an item tells how
  /// sensitive people are; it is ignored for the prevalence, because it was not found by chance.
  bool known = false;
  std::vector<ItemDecision>
      decisions;  ///< without any, the posterior is the prevalence of the verb
};

/// An estimate with its 95 % interval.
struct EstimatedRate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct AnnotatorModel {
  std::vector<EstimatedRate> sensitivity;   ///< one per person; without answers, the prior
  std::vector<EstimatedRate> specificity;   ///< one per person
  std::vector<double> prevalence;           ///< one per verb; without items, the prior mode
  std::vector<double> posterior;            ///< P(z_i = 1 | answers), one per item; 1 if known
  std::vector<double> log_posteriors;       ///< before each step of the first fit; never decreases
  std::vector<double> verb_log_posteriors;  ///< the same of the second fit; empty without one
  bool converged = false;
};

/// Fits the model by EM to the maximum of the posterior density of all s, c and p. It starts at the
/// modes of the default priors, so the result is deterministic. One step:
///
///   E  odds(z_i) = p / (1 - p) * product over j of  y_ij ? s_j / (1 - c_j) : (1 - s_j) / c_j
///      q_i = odds / (1 + odds), or 1 if known
///   M  s_j = (a - 1 + sum of q_i y_ij) / (a + b - 2 + sum of q_i)
///      c_j = (a - 1 + sum of (1 - q_i)(1 - y_ij)) / (a + b - 2 + sum of (1 - q_i))
///      p_v = (a - 1 + sum of q_i) / (a + b - 2 + number of answered items of v that are not known)
///
/// with a and b of the respective prior and sums over the items that j answered, or that have verb
/// v. It stops when a step adds less than 1e-11 times the number of answers to the log posterior,
/// or after 2,000 steps.
///
/// The second fit, if priors.verb_strength is m > 0 and there are several verbs: the same steps
/// with s_jv and c_jv for each person and verb instead of s_j and c_j, with the priors Beta(1 + m
/// s_j, 1 + m (1 - s_j)) and likewise for c, starting at their modes and at the p_v of the first
/// fit. It gives `posterior` and `prevalence`; `sensitivity` and `specificity` are those of the
/// first.
///
/// Intervals: if all z_i were known, s_j would have the distribution Beta(a + sum of q_i y_ij, b +
/// sum of q_i (1 - y_ij)). They are not, so both parameters are multiplied by the share of the
/// information on s_j that is left without them (Louis 1982): [1 / complete information] /
/// [diagonal of the inverse of the observed information of all parameters], on the logit scale. The
/// interval is from the 2.5 % to the 97.5 % quantile of that distribution. It is exact if all items
/// are known, and a person without answers has that of the prior. How often it contains the true
/// value in simulated rounds is measured in docs/results.md.
///
/// One person, one known item that they chose: s = (3 + 1) / (4 + 1) = 0.8, q = 1.
AnnotatorModel fit_annotators(std::span<const DecidedItem> items, int people, int verbs,
                              const AnnotatorPriors& priors = {});

/// The information, in bits, that one more answer of a person with these rates is expected to give
/// on items with these posteriors: the sum over items of H(q) - P(y = 1) H(q | y = 1) - P(y = 0)
/// H(q | y = 0), where H is the entropy. 0 if every q is 0 or 1, or if the person answers at
/// random. One item with q = 1/2 and a person who is always right: 1 bit.
double expected_information(std::span<const double> posteriors, double sensitivity,
                            double specificity);

}  // namespace manyverbs
