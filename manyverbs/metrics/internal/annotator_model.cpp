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

class Fit {
 public:
  Fit(std::span<const DecidedItem> items, int people, int verbs, const AnnotatorPriors& priors)
      : items_(items),
        priors_(priors),
        sensitivity_(people, Counts(kStart.sensitivity)),
        specificity_(people, Counts(kStart.specificity)),
        prevalence_(verbs, Counts(kStart.prevalence)),
        posterior_(items.size()) {
    for (const DecidedItem& item : items) answers_ += static_cast<double>(item.decisions.size());
  }

  AnnotatorModel run() {
    AnnotatorModel model;
    while (!model.converged && std::ssize(model.log_posteriors) < kMostSteps) {
      const double value = expect();
      model.converged = !model.log_posteriors.empty() &&
                        value - model.log_posteriors.back() < kTolerance * (1 + answers_);
      model.log_posteriors.push_back(value);
      // The posteriors belong to the parameters of the last step.
      if (!model.converged) maximise();
    }
    model.posterior = posterior_;
    for (const Counts& counts : prevalence_) model.prevalence.push_back(counts.mode());
    add_rates(&model);
    return model;
  }

 private:
  // Sets the posterior of each item from the parameters. Returns their log posterior density.
  double expect() {
    double value = 0;
    for (const Counts& counts : sensitivity_) {
      value += log_density(counts.mode(), priors_.sensitivity);
    }
    for (const Counts& counts : specificity_) {
      value += log_density(counts.mode(), priors_.specificity);
    }
    for (const Counts& counts : prevalence_) {
      value += log_density(counts.mode(), priors_.prevalence);
    }
    const Logs logs = logs_of_rates();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const DecidedItem& item = items_[i];
      double present = 0;  // log likelihood of the answers if the verb applies, and if it does not
      double absent = 0;
      for (const Decision& decision : item.decisions) {
        const std::size_t at = 2 * decision.person + (decision.chosen ? 1 : 0);
        present += logs.present[at];
        absent += logs.absent[at];
      }
      if (item.known) {
        posterior_[i] = 1;
        value += present;
        continue;
      }
      const double prevalence = prevalence_[item.verb].mode();
      present += std::log(prevalence);
      absent += std::log1p(-prevalence);
      posterior_[i] = logistic(present - absent);
      value += std::max(present, absent) + std::log1p(std::exp(-std::abs(present - absent)));
    }
    return value;
  }

  // For person j: the log probabilities of not choosing at 2 j, and of choosing at 2 j + 1.
  struct Logs {
    std::vector<double> present;
    std::vector<double> absent;
  };
  Logs logs_of_rates() const {
    Logs logs;
    for (std::size_t j = 0; j < sensitivity_.size(); ++j) {
      const double sensitivity = sensitivity_[j].mode();
      const double specificity = specificity_[j].mode();
      logs.present.insert(logs.present.end(), {std::log1p(-sensitivity), std::log(sensitivity)});
      logs.absent.insert(logs.absent.end(), {std::log(specificity), std::log1p(-specificity)});
    }
    return logs;
  }

  static bool tells_prevalence(const DecidedItem& item) {
    return !item.known && !item.decisions.empty();
  }

  // Sets the parameters from the posteriors.
  void maximise() {
    std::fill(sensitivity_.begin(), sensitivity_.end(), Counts(priors_.sensitivity));
    std::fill(specificity_.begin(), specificity_.end(), Counts(priors_.specificity));
    std::fill(prevalence_.begin(), prevalence_.end(), Counts(priors_.prevalence));
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const double present = posterior_[i];
      const double absent = 1 - present;
      for (const Decision& decision : items_[i].decisions) {
        Counts& sensitivity = sensitivity_[decision.person];
        Counts& specificity = specificity_[decision.person];
        (decision.chosen ? sensitivity.right : sensitivity.wrong) += present;
        (decision.chosen ? specificity.wrong : specificity.right) += absent;
      }
      if (!tells_prevalence(items_[i])) continue;
      prevalence_[items_[i].verb].right += present;
      prevalence_[items_[i].verb].wrong += absent;
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
    const std::size_t people = sensitivity_.size();
    Matrix<double> information(2 * people, 2 * people);
    Matrix<double> links(prevalence_.size(), 2 * people);
    std::vector<double> own;
    for (std::size_t j = 0; j < people; ++j) {
      information(j, j) = complete_information(sensitivity_[j]);
      information(people + j, people + j) = complete_information(specificity_[j]);
    }
    for (const Counts& counts : prevalence_) own.push_back(complete_information(counts));
    std::vector<std::pair<std::size_t, double>> difference;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const DecidedItem& item = items_[i];
      if (!tells_prevalence(item)) continue;
      const double variance = posterior_[i] * (1 - posterior_[i]);
      difference.clear();
      for (const Decision& decision : item.decisions) {
        const double chosen = decision.chosen ? 1 : 0;
        const std::size_t j = decision.person;
        difference.emplace_back(j, chosen - sensitivity_[j].mode());
        difference.emplace_back(people + j, specificity_[j].mode() - (1 - chosen));
      }
      own[item.verb] -= variance;
      for (const auto& [row, first] : difference) {
        links(item.verb, row) -= variance * first;
        for (const auto& [column, second] : difference) {
          information(row, column) -= variance * first * second;
        }
      }
    }
    for (std::size_t v = 0; v < prevalence_.size(); ++v)
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

  void add_rates(AnnotatorModel* model) const {
    const std::vector<double> variances = inverse_diagonal(observed_information());
    const std::size_t people = sensitivity_.size();
    for (std::size_t j = 0; j < people; ++j) {
      model->sensitivity.push_back(rate_of(sensitivity_[j], variances[j]));
      model->specificity.push_back(rate_of(specificity_[j], variances[people + j]));
    }
  }

  // `variance` is that of the logit of the rate.
  static EstimatedRate rate_of(const Counts& counts, double variance) {
    // Without a proper maximum, as much as one answer is left.
    const double least = 1 / (counts.right + counts.wrong);
    const double share = 1 / (complete_information(counts) * variance);
    const double left = share > least ? std::min(share, 1.0) : least;
    const boost::math::beta_distribution<> beta(left * counts.right, left * counts.wrong);
    return {counts.mode(), quantile(beta, 0.025), quantile(beta, 0.975)};
  }

  std::span<const DecidedItem> items_;
  AnnotatorPriors priors_;
  std::vector<Counts> sensitivity_;
  std::vector<Counts> specificity_;
  std::vector<Counts> prevalence_;
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
  return Fit(items, people, verbs, priors).run();
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
