# SPDX-License-Identifier: MIT
"""Writes annotator_model.json: the model of annotators fitted by numerical maximisation of the log posterior, which is
summed over both values of every label, instead of by EM; its information matrix by numerical differentiation.

dentists: five dentists look for caries in X-rays of 3,869 teeth. Espeland and Handelman, "Using latent class models to
  characterize and assess relative error in discrete measurements", Biometrics 45, 1989. Counts of the 32 patterns of answers,
  dentist 1 first. Priors so flat that the estimates are those of maximum likelihood.
round: made-up people who chose verbs, with known items and people who answered only some of the items. by_verb: the rates
  of each person for each verb, with priors from the rates of the person, as one person per pair of person and verb.
/usr/bin/python3 tests/golden/annotator_model.py, with NumPy and SciPy
"""
import json
import pathlib

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import beta

TEETH = [1880, 789, 43, 75, 23, 63, 8, 22, 188, 191, 17, 67, 15, 85, 8, 56,
         22, 26, 6, 14, 1, 20, 2, 17, 2, 20, 6, 27, 3, 72, 1, 100]


class Posterior:
    """answers[i, j]: 1 chosen, 0 not chosen, -1 not answered; weights: how often item i occurs."""

    def __init__(self, answers, verbs, known, weights, num_verbs, priors):
        self.answers, self.verbs, self.known, self.weights = map(np.asarray, (answers, verbs, known, weights))
        self.people, self.num_verbs = self.answers.shape[1], num_verbs
        # Beta(a, b) of every parameter.
        self.a, self.b = (np.concatenate([np.broadcast_to(prior[k], size) for prior, size in
                                          zip(priors, (self.people, self.people, num_verbs))]) for k in (0, 1))

    def parts(self, x):
        j = self.people
        return expit(x[:j]), expit(x[j:2 * j]), expit(x[2 * j:])

    def joint(self, x):
        """Probabilities of the answers together with z = 1 and z = 0, per item."""
        s, c, p = self.parts(x)
        y = self.answers
        present = np.prod(np.where(y == 1, s, np.where(y == 0, 1 - s, 1)), axis=1)
        absent = np.prod(np.where(y == 0, c, np.where(y == 1, 1 - c, 1)), axis=1)
        p = p[self.verbs]
        return np.where(self.known, present, p * present), np.where(self.known, 0, (1 - p) * absent)

    def log(self, x):
        present, absent = self.joint(x)
        value = np.sum(self.weights * np.log(present + absent))
        rates = expit(x)
        return value + np.sum((self.a - 1) * np.log(rates) + (self.b - 1) * np.log(1 - rates))

    def maximum(self):
        start = np.concatenate([np.full(self.people, logit(0.7)), np.full(self.people, logit(0.8)),
                                np.full(self.num_verbs, logit(0.25))])
        x = start
        for _ in range(5):
            x = minimize(lambda x: -self.log(x), x, method="BFGS", options={"gtol": 1e-9, "maxiter": 10000}).x
            hessian = self.hessian(x)
            for _ in range(5):  # Newton steps for the last digits
                x = x - np.linalg.solve(hessian, self.gradient(x))
        return x

    def gradient(self, x, h=1e-5):
        unit = np.eye(len(x)) * h
        return np.array([(8 * (self.log(x + u) - self.log(x - u)) - self.log(x + 2 * u) + self.log(x - 2 * u)) / (12 * h)
                         for u in unit])

    def hessian(self, x, h=1e-4):
        unit = np.eye(len(x)) * h
        rows = np.array([(self.gradient(x + u) - self.gradient(x - u)) / (2 * h) for u in unit])
        return (rows + rows.T) / 2

    def result(self):
        x = self.maximum()
        s, c, p = self.parts(x)
        present, absent = self.joint(x)
        q = present / (present + absent)
        variances = np.diag(np.linalg.inv(-self.hessian(x)))
        chosen, left = self.answers == 1, self.answers == 0
        rates = []
        for name, value, k, right, wrong in (
                ("sensitivity", s, 0, (self.weights * q) @ chosen, (self.weights * q) @ left),
                ("specificity", c, 1, (self.weights * (1 - q)) @ left, (self.weights * (1 - q)) @ chosen)):
            a, b = (each[k * self.people:(k + 1) * self.people] for each in (self.a, self.b))
            right, wrong = right + a, wrong + b
            share = 1 / ((right + wrong - 2) * value * (1 - value)) / variances[k * self.people:(k + 1) * self.people]
            rates.append((name, [[float(each) for each in (v, beta.ppf(0.025, h * r, h * w), beta.ppf(0.975, h * r, h * w))]
                                 for v, h, r, w in zip(value, share, right, wrong)]))
        return {**dict(rates), "prevalence": p.tolist(), "posterior": q.tolist(), "log_posterior": float(self.log(x))}


def dentists():
    patterns = [[int(bit) for bit in f"{i:05b}"] for i in range(32)]
    flat = [(1 + 1e-9, 1 + 1e-9)] * 3
    return {"counts": TEETH, "patterns": patterns,
            **Posterior(patterns, [0] * 32, [False] * 32, TEETH, 1, flat).result()}


def made_up_round():
    draw = np.random.default_rng(5)
    items, people, num_verbs = 300, 6, 4
    s, c = np.array([.9, .7, .5, .3, .8, .6]), np.array([.95, .9, .5, .2, .7, .99])
    verbs = draw.integers(0, num_verbs - 1, items)  # nobody sees the last verb
    z = draw.random(items) < np.array([.1, .3, .6, .5])[verbs]
    known = z & (draw.random(items) < 0.3)
    chosen = draw.random((items, people)) < np.where(z[:, None], s, 1 - c)
    answers = np.where(draw.random((items, people)) < 0.5, chosen, -1)
    answers[:, 5] = np.where(np.arange(items) < 4, answers[:, 5], -1)  # the last person answered a few
    priors = [(4, 2), (6, 2), (2, 4)]
    one = Posterior(answers, verbs, known, np.ones(items), num_verbs, priors).result()
    pairs = np.full((items, people * num_verbs), -1)
    for j in range(people):
        pairs[np.arange(items), j * num_verbs + verbs] = answers[:, j]
    near = [np.repeat([each[0] for each in one[name]], num_verbs) for name in ("sensitivity", "specificity")]
    priors = [(1 + 20 * rate, 1 + 20 * (1 - rate)) for rate in near] + [(2, 4)]
    by_verb = Posterior(pairs, verbs, known, np.ones(items), num_verbs, priors).result()
    return {"answers": answers.tolist(), "verbs": verbs.tolist(), "known": known.tolist(), "num_verbs": num_verbs, **one,
            "by_verb": {key: by_verb[key] for key in ("prevalence", "posterior", "log_posterior")}}


path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps({"dentists": dentists(), "round": made_up_round()}) + "\n")
