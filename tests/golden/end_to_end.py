# SPDX-License-Identifier: MIT
"""Writes end_to_end.json: steps of SGD with momentum and weight decay on every loss that `finetune`
has, both recipes, in epoch 3 of 5.

What SGD minimises is written down as a value only; its derivatives are central differences in
double. Scores are a linear function of two features. The released recipe sums over classes, but
for focal and ce; the paper's averages over the classes that count, and SGD multiplies by the
number of classes what the released code sums. GR's weights K and V are those of the scores before
the shift of the differences. Needs Python alone:
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
TARGETS['ce-mask'], TARGETS['ce-p+s'] = TARGETS['mask'], TARGETS['p+s']
LOSSES = ['an', 'wan', 'ls', 'n-ls', 'focal', 'em', 'mask', 'p+s', 'ce', 'ce-mask', 'ce-p+s', 'asl', 'hill', 'splc',
          'll-r', 'll-ct', 'gr', 'epr']
EPOCH, EPOCHS = 3, 5
LARGE_LOSS_RATE, EXPECTED = 10, 1.5


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


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


def later_cost(loss, z, present, before, limit):
    """The cost of one class, of losses that others published; `before` is the score without shift."""
    p = sigmoid(z)
    if loss == 'asl':
        if present:
            return -(1 - p) * math.log(p)
        reduced = max(p - 0.05, 0)
        return -reduced ** 4 * math.log(1 - reduced)
    if loss in ('hill', 'splc'):
        moved = sigmoid(z - 1) if present else p
        if present or (loss == 'splc' and moved > 0.6):
            return -(1 - moved) ** 2 * math.log(moved)
        return (1.5 - p) * p ** 2 if loss == 'hill' else -p ** 2 * math.log(1 - p)
    if loss in ('ll-r', 'll-ct'):
        if not present and before >= limit:
            return 0 if loss == 'll-r' else -math.log(p)
        return cross_entropy(present, z)
    if present or loss == 'epr':
        return -math.log(p) if present else 0
    part = (EPOCH - 1) / (EPOCHS - 1)
    k = sigmoid(2 * part * sigmoid(before) - 2)
    v = math.exp(-(sigmoid(before) - (0.5 + 0.3 * part)) ** 2 / (2 * (2 - 1.5 * part) ** 2))
    return v * (k * (1 - p ** 0.01) / 0.01 + (1 - k) * p)


def later_objective(loss, scores, before):
    """What SGD minimises, of all clips; the same with both recipes if no class is left out."""
    absent = [z for row, target in zip(before, SINGLE) for z, t in zip(row, target) if t == 'A']
    count = len(CLIPS) * CLASSES
    limit = sorted(absent)[-math.ceil(count * (EPOCH - 1) * LARGE_LOSS_RATE / 100)]
    total = sum(later_cost(loss, z, t == 'P', z_before, limit)
                for row, row_before, target in zip(scores, before, SINGLE)
                for z, z_before, t in zip(row, row_before, target)) / len(CLIPS)
    if loss == 'epr':
        labels = sum(sigmoid(z) for row in scores for z in row) / len(CLIPS)
        total += CLASSES * (labels - EXPECTED) ** 2 / CLASSES ** 2
    return total


def clip_objective(loss, scores, target, released):
    """What SGD minimises, of one clip."""
    if loss.startswith('ce'):
        chosen = [z for z, t in zip(scores, target) if t == 'P']
        return (math.log(sum(math.exp(z) for z, t in zip(scores, target) if t != 'U')) -
                sum(chosen) / len(chosen))
    costs = [cost(loss, z, t == 'P', released) for z, t in zip(scores, target) if t != 'U']
    if released and loss != 'focal':
        return sum(costs)
    mean = sum(costs) / len(costs)
    return mean if loss == 'focal' else CLASSES * mean


def scores_of(weights):
    return [[sum(w * x for w, x in zip(row, clip)) for row in weights] for clip in CLIPS]


def objective(loss, weights, before, released):
    scores = scores_of(weights)
    if LOSSES.index(loss) > LOSSES.index('ce-p+s'):
        return later_objective(loss, scores, scores_of(before))
    targets = TARGETS.get(loss, SINGLE)
    return sum(clip_objective(loss, row, target, released)
               for row, target in zip(scores, targets)) / len(CLIPS)


def derivative(loss, weights, released, c, d):
    def at(shift):
        moved = [row[:] for row in weights]
        moved[c][d] += shift
        return objective(loss, moved, weights, released)
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
    about = {'epoch': EPOCH, 'epochs': EPOCHS, 'large_loss_rate': LARGE_LOSS_RATE,
             'expected_labels': EXPECTED, 'learning_rate': RATE, 'momentum': MOMENTUM, 'weight_decay': DECAY, 'start': START,
             'clips': CLIPS}
    path = pathlib.Path(__file__).with_suffix('.json')
    path.write_text(json.dumps(about)[:-1] + ',\n"cases": [\n' + ',\n'.join(cases) + '\n]}\n')


if __name__ == '__main__':
    main()
