// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/annotator_model.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cassert>
#include <cmath>

#include "manyverbs/support/matrix.h"

// LAPACK, on one thread: the Cholesky factor of a symmetric matrix, and the inverse of a triangular
// one. `info` is 0 on success. OpenBLAS has no header for them.
extern "C" {
void dpotf2_(const char* triangle, const int* size, double* matrix, const int* stride, int* info);
void dtrti2_(const char* triangle, const char* diagonal, const int* size, double* matrix,
             const int* stride, int* info);
}

namespace manyverbs {
namespace {

constexpr int kMostSteps = 2000;
constexpr double kTolerance = 1e-11;  // per answer
constexpr AnnotatorPriors kStart;

// Expected numbers of right and wrong decisions, the pseudo-counts of the prior included.
struct Counts {
  double right;
  double wrong;

  explicit Counts(const BetaPrior& prior) : right(prior.a), wrong(prior.b) {}
  double mode() const { return (right - 1) / (right + wrong - 2); }
};

double log_density(double rate, const BetaPrior& prior) {  // without the constant
  return (prior.a - 1) * std::log(rate) + (prior.b - 1) * std::log1p(-rate);
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// The diagonal of the inverse of a symmetric matrix; infinite if it is not positive definite.
std::vector<double> inverse_diagonal(Matrix<double> matrix) {
  const int size = static_cast<int>(matrix.rows());
  std::vector<double> diagonal(size);
  int info = 0;
  // Columns are rows for LAPACK: its upper factor is our lower one, L with L L' = matrix.
  if (size > 0) dpotf2_("U", &size, matrix.data(), &size, &info);
  if (size > 0 && info == 0) dtrti2_("U", "N", &size, matrix.data(), &size, &info);
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) diagonal[j] += matrix(i, j) * matrix(i, j);
  }
  if (info != 0) std::fill(diagonal.begin(), diagonal.end(), INFINITY);
  return diagonal;
}

// The sensitivities or the specificities: one per person, or one per person and verb.
struct Rates {
  std::vector<BetaPrior> priors;
  std::vector<Counts> counts;

  Rates(const std::vector<BetaPrior>& given, const BetaPrior& start)
      : priors(given), counts(given.size(), Counts(start)) {}
  // Starts at the modes of the priors.
  explicit Rates(const std::vector<BetaPrior>& given)
      : priors(given), counts(given.begin(), given.end()) {}
  void clear() { counts = std::vector<Counts>(priors.begin(), priors.end()); }
  double log_prior() const {
    double value = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      value += log_density(counts[i].mode(), priors[i]);
    }
    return value;
  }
};

// The priors of the rates of each person and verb: modes at the rates of the person.
std::vector<BetaPrior> verb_priors(const Rates& people, int verbs, double strength) {
  std::vector<BetaPrior> priors;
  for (const Counts& person : people.counts) {
    const double mode = person.mode();
    priors.insert(priors.end(), verbs, {1 + strength * mode, 1 + strength * (1 - mode)});
  }
  return priors;
}

class Fit {
 public:
  // One sensitivity and one specificity per person.
  Fit(std::span<const DecidedItem> items, int people, int verbs, const AnnotatorPriors& priors)
      : items_(items),
        sensitivity_(std::vector(people, priors.sensitivity), kStart.sensitivity),
        specificity_(std::vector(people, priors.specificity), kStart.specificity),
        prevalence_(std::vector(verbs, priors.prevalence), kStart.prevalence),
        posterior_(items.size()) {
    count_answers();
  }
  // One per person and verb, near those of the person, and the prevalences from there.
  Fit(const Fit& people, double strength)
      : items_(people.items_),
        rates_per_person_(people.prevalence_.counts.size()),
        sensitivity_(
            verb_priors(people.sensitivity_, static_cast<int>(rates_per_person_), strength)),
        specificity_(
            verb_priors(people.specificity_, static_cast<int>(rates_per_person_), strength)),
        prevalence_(people.prevalence_),
        posterior_(items_.size()) {
    count_answers();
  }

  // Returns the log posterior before each step.
  std::vector<double> run(bool* converged) {
    std::vector<double> values;
    *converged = false;
    while (!*converged && std::ssize(values) < kMostSteps) {
      const double value = expect();
      *converged = !values.empty() && value - values.back() < kTolerance * (1 + answers_);
      values.push_back(value);
      // The posteriors belong to the parameters of the last step.
      if (!*converged) maximise();
    }
    return values;
  }

  const std::vector<double>& posterior() const { return posterior_; }
  std::vector<double> prevalence() const {
    std::vector<double> modes;
    for (const Counts& counts : prevalence_.counts) modes.push_back(counts.mode());
    return modes;
  }

  // Only for one rate per person.
  void add_rates(AnnotatorModel* model) const {
    const std::vector<double> variances = inverse_diagonal(observed_information());
    const std::size_t people = sensitivity_.counts.size();
    for (std::size_t j = 0; j < people; ++j) {
      model->sensitivity.push_back(estimate(sensitivity_.counts[j], variances[j]));
      model->specificity.push_back(estimate(specificity_.counts[j], variances[people + j]));
    }
  }

 private:
  // Sets the posterior of each item from the parameters. Returns their log posterior density.
  double expect() {
    double value = sensitivity_.log_prior() + specificity_.log_prior() + prevalence_.log_prior();
    const Logs logs = logs_of_rates();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const DecidedItem& item = items_[i];
      double present = 0;  // log likelihood of the answers if the verb applies, and if it does not
      double absent = 0;
      for (const ItemDecision& decision : item.decisions) {
        const std::size_t at = 2 * rate_of(decision, item) + (decision.chosen ? 1 : 0);
        present += logs.present[at];
        absent += logs.absent[at];
      }
      if (item.known) {
        posterior_[i] = 1;
        value += present;
        continue;
      }
      const double prevalence = prevalence_.counts[item.verb].mode();
      present += std::log(prevalence);
      absent += std::log1p(-prevalence);
      posterior_[i] = logistic(present - absent);
      value += std::max(present, absent) + std::log1p(std::exp(-std::abs(present - absent)));
    }
    return value;
  }

  // For rate j: the log probabilities of not choosing at 2 j, and of choosing at 2 j + 1.
  struct Logs {
    std::vector<double> present;
    std::vector<double> absent;
  };
  Logs logs_of_rates() const {
    Logs logs;
    for (std::size_t j = 0; j < sensitivity_.counts.size(); ++j) {
      const double sensitivity = sensitivity_.counts[j].mode();
      const double specificity = specificity_.counts[j].mode();
      logs.present.insert(logs.present.end(), {std::log1p(-sensitivity), std::log(sensitivity)});
      logs.absent.insert(logs.absent.end(), {std::log(specificity), std::log1p(-specificity)});
    }
    return logs;
  }

  std::size_t rate_of(const ItemDecision& decision, const DecidedItem& item) const {
    return rates_per_person_ * decision.person + (rates_per_person_ > 1 ? item.verb : 0);
  }

  void count_answers() {
    for (const DecidedItem& item : items_) answers_ += static_cast<double>(item.decisions.size());
  }

  static bool tells_prevalence(const DecidedItem& item) {
    return !item.known && !item.decisions.empty();
  }

  // Sets the parameters from the posteriors.
  void maximise() {
    sensitivity_.clear();
    specificity_.clear();
    prevalence_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const double present = posterior_[i];
      const double absent = 1 - present;
      for (const ItemDecision& decision : items_[i].decisions) {
        const std::size_t j = rate_of(decision, items_[i]);
        Counts& sensitivity = sensitivity_.counts[j];
        Counts& specificity = specificity_.counts[j];
        (decision.chosen ? sensitivity.right : sensitivity.wrong) += present;
        (decision.chosen ? specificity.wrong : specificity.right) += absent;
      }
      if (!tells_prevalence(items_[i])) continue;
      prevalence_.counts[items_[i].verb].right += present;
      prevalence_.counts[items_[i].verb].wrong += absent;
    }
  }

  // The information on the logit of a rate if all z_i were known.
  static double complete_information(const Counts& counts) {
    return (counts.right + counts.wrong - 2) * counts.mode() * (1 - counts.mode());
  }

  // Louis 1982: the information of the answers is the complete one less the variance of the
  // derivative of the complete log likelihood. Each item subtracts q (1 - q) g g', where g is the
  // difference of that derivative between z = 1 and z = 0. An item has one verb, so prevalences are
  // linked to people but not to each other, and can be eliminated one by one. The result has the
  // sensitivities first, then the specificities.
  Matrix<double> observed_information() const {
    const std::size_t people = sensitivity_.counts.size();
    Matrix<double> information(2 * people, 2 * people);
    Matrix<double> links(prevalence_.counts.size(), 2 * people);
    std::vector<double> own;
    for (std::size_t j = 0; j < people; ++j) {
      information(j, j) = complete_information(sensitivity_.counts[j]);
      information(people + j, people + j) = complete_information(specificity_.counts[j]);
    }
    for (const Counts& counts : prevalence_.counts) own.push_back(complete_information(counts));
    std::vector<std::pair<std::size_t, double>> difference;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const DecidedItem& item = items_[i];
      if (!tells_prevalence(item)) continue;
      const double variance = posterior_[i] * (1 - posterior_[i]);
      difference.clear();
      for (const ItemDecision& decision : item.decisions) {
        const double chosen = decision.chosen ? 1 : 0;
        const std::size_t j = decision.person;
        difference.emplace_back(j, chosen - sensitivity_.counts[j].mode());
        difference.emplace_back(people + j, specificity_.counts[j].mode() - (1 - chosen));
      }
      own[item.verb] -= variance;
      for (const auto& [row, first] : difference) {
        links(item.verb, row) -= variance * first;
        for (const auto& [column, second] : difference) {
          information(row, column) -= variance * first * second;
        }
      }
    }
    for (std::size_t v = 0; v < prevalence_.counts.size(); ++v)
      eliminate(links.row(v), own[v], &information);
    return information;
  }

  // Subtracts link link' / own.
  static void eliminate(std::span<const double> link, double own, Matrix<double>* information) {
    for (std::size_t row = 0; row < link.size(); ++row) {
      if (link[row] == 0) continue;
      for (std::size_t column = 0; column < link.size(); ++column) {
        (*information)(row, column) -= link[row] * link[column] / own;
      }
    }
  }

  // `variance` is that of the logit of the rate.
  static EstimatedRate estimate(const Counts& counts, double variance) {
    // Without a proper maximum, as much as one answer is left.
    const double least = 1 / (counts.right + counts.wrong);
    const double share = 1 / (complete_information(counts) * variance);
    const double left = share > least ? std::min(share, 1.0) : least;
    const boost::math::beta_distribution<> beta(left * counts.right, left * counts.wrong);
    return {counts.mode(), quantile(beta, 0.025), quantile(beta, 0.975)};
  }

  std::span<const DecidedItem> items_;
  std::size_t rates_per_person_ = 1;
  Rates sensitivity_;
  Rates specificity_;
  Rates prevalence_;
  std::vector<double> posterior_;
  double answers_ = 0;
};

double entropy(double q) {  // in bits
  const auto term = [](double p) { return p > 0 ? -p * std::log2(p) : 0; };
  return term(q) + term(1 - q);
}

}  // namespace

AnnotatorModel fit_annotators(std::span<const DecidedItem> items, int people, int verbs,
                              const AnnotatorPriors& priors) {
  for ([[maybe_unused]] const BetaPrior& prior :
       {priors.sensitivity, priors.specificity, priors.prevalence}) {
    assert(prior.a > 1 && prior.b > 1);
  }
  AnnotatorModel model;
  Fit by_person(items, people, verbs, priors);
  model.log_posteriors = by_person.run(&model.converged);
  by_person.add_rates(&model);
  model.posterior = by_person.posterior();
  model.prevalence = by_person.prevalence();
  if (priors.verb_strength <= 0 || verbs < 2) return model;
  Fit by_verb(by_person, priors.verb_strength);
  bool converged = false;
  model.verb_log_posteriors = by_verb.run(&converged);
  model.converged = model.converged && converged;
  model.posterior = by_verb.posterior();
  model.prevalence = by_verb.prevalence();
  return model;
}

double expected_information(std::span<const double> posteriors, double sensitivity,
                            double specificity) {
  double information = 0;
  for (const double q : posteriors) {
    if (q <= 0 || q >= 1) continue;
    const double chosen = q * sensitivity + (1 - q) * (1 - specificity);
    double left = 0;
    if (chosen > 0) left += chosen * entropy(q * sensitivity / chosen);
    if (chosen < 1) left += (1 - chosen) * entropy(q * (1 - sensitivity) / (1 - chosen));
    information += std::max(0.0, entropy(q) - left);
  }
  return information;
}

}  // namespace manyverbs
