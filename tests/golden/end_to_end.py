# SPDX-License-Identifier: MIT
"""Writes end_to_end.json: steps of SGD with momentum and weight decay on every loss, both recipes.

What SGD minimises is written down as a value only; its derivatives are central differences in
double. Scores are a linear function of two features. The released recipe sums over classes, but
for focal and ce; the paper's averages over the classes that count, and SGD multiplies by the
number of classes what the released code sums. Needs Python alone:
python3 -P tests/golden/end_to_end.py
"""
import json
import math
import pathlib

CLASSES, FEATURES, STEPS = 5, 2, 4
RATE, MOMENTUM, DECAY = 0.25, 0.9, 0.1
START = [[0.5, -0.25], [-1.0, 0.75], [0.25, 1.5], [-0.5, -0.75], [1.25, 0.0]]
CLIPS = [[1.0, 0.5], [-0.75, 2.0], [0.25, -1.25]]
# A (absent), P (present) and U (unknown: left out).
SINGLE = ['PAAAA', 'AAPAA', 'AAAAP']
TARGETS = {'mask': ['PUAAA', 'AAPAA', 'UAUUP'], 'p+s': ['PPAAA', 'AAPAA', 'PAPPP']}
LOSSES = ['an', 'wan', 'ls', 'n-ls', 'focal', 'em', 'mask', 'p+s', 'ce']


def cross_entropy(target, z):
    """-target log p - (1 - target) log(1 - p) for p = sigmoid(z)."""
    return math.log1p(math.exp(-z)) + (1 - target) * z


def cost(loss, z, present, released):
    """The cost of one class."""
    p = 1 / (1 + math.exp(-z))
    if loss == 'wan':
        return cross_entropy(present, z) * (1 if present else 1 / (CLASSES - 1))
    if loss == 'ls':
        high, low = (1 - 0.1 + 0.1 / CLASSES, 0.1 / CLASSES) if released else (0.95, 0.05)
        return cross_entropy(high if present else low, z)
    if loss == 'n-ls':
        return cross_entropy(1 if present else (0.1 / CLASSES if released else 0.1), z)
    if loss == 'focal':
        if present:
            return -0.25 * (1 - p) ** 2 * math.log(p)
        return -0.75 * p ** 2 * math.log(1 - p)
    if loss == 'em' and not present:
        return 0.2 * (p * math.log(p) + (1 - p) * math.log(1 - p))
    return cross_entropy(present, z)


def clip_objective(loss, scores, target, released):
    """What SGD minimises, of one clip."""
    if loss == 'ce':
        return math.log(sum(map(math.exp, scores))) - scores[target.index('P')]
    costs = [cost(loss, z, t == 'P', released) for z, t in zip(scores, target) if t != 'U']
    if released and loss != 'focal':
        return sum(costs)
    mean = sum(costs) / len(costs)
    return mean if loss == 'focal' else CLASSES * mean


def objective(loss, weights, released):
    total = 0
    for clip, target in zip(CLIPS, TARGETS.get(loss, SINGLE)):
        scores = [sum(w * x for w, x in zip(row, clip)) for row in weights]
        total += clip_objective(loss, scores, target, released)
    return total / len(CLIPS)


def derivative(loss, weights, released, c, d):
    def at(shift):
        moved = [row[:] for row in weights]
        moved[c][d] += shift
        return objective(loss, moved, released)
    return (at(1e-5) - at(-1e-5)) / 2e-5


def steps(loss, released):
    weights = [row[:] for row in START]
    velocity = [[0.0] * FEATURES for _ in weights]
    taken = []
    for _ in range(STEPS):
        gradients = [[derivative(loss, weights, released, c, d) for d in range(FEATURES)]
                     for c in range(CLASSES)]
        for c in range(CLASSES):
            for d in range(FEATURES):
                velocity[c][d] = MOMENTUM * velocity[c][d] + gradients[c][d] + DECAY * weights[c][d]
                weights[c][d] -= RATE * velocity[c][d]
        taken.append([[round(w, 8) for w in row] for row in weights])
    return taken


def main():
    cases = [json.dumps({'loss': loss, 'recipe': recipe, 'targets': TARGETS.get(loss, SINGLE),
                         'steps': steps(loss, recipe == 'released')})
             for loss in LOSSES for recipe in ('paper', 'released')]
    about = {'learning_rate': RATE, 'momentum': MOMENTUM, 'weight_decay': DECAY, 'start': START,
             'clips': CLIPS}
    path = pathlib.Path(__file__).with_suffix('.json')
    path.write_text(json.dumps(about)[:-1] + ',\n"cases": [\n' + ',\n'.join(cases) + '\n]}\n')


if __name__ == '__main__':
    main()
