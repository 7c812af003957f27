# SPDX-License-Identifier: MIT
"""Writes loss_memory.json: sequences of training steps of the losses that store something for each clip.

The scores of each step are made up, since the model does not matter here. ROLE's label estimates are
trained with torch.optim.Adam on the whole table. All in double, with gradients by autograd.
Needs python3-torch: python3 -P tests/golden/loss_memory.py
"""
import json
import math
import pathlib

import torch
from torch.nn.functional import logsigmoid

CLIPS, CLASSES, EPOCHS = 7, 5, 6
TARGETS = ['PAAAA', 'APAAA', 'AAPAA', 'AAAPA', 'AAAAP', 'PAAAA', 'AAPAA']
PRESENT = torch.tensor([[t == 'P' for t in row] for row in TARGETS]).double()
BATCHES = [[[0, 1, 2], [3, 4], [5, 6]], [[6, 2], [0, 4, 3], [1, 5]]]  # of odd and even epochs
RATE = 0.01


def scores(rows):
    return (torch.randn(rows, CLASSES) * 16).round().double() / 8


def numbers(tensor):
    return [[float(f'{x:.8g}') for x in row] for row in tensor.tolist()]


def reduced(costs, released):
    return costs.sum(1).mean() if released else costs.mean()


def stepped(epoch, batch, z, value):
    """A step of the output; computes the gradient."""
    value.backward()
    return {'epoch': epoch, 'clips': batch, 'scores': z.tolist(),
            'value': float(f'{value.item():.9g}'), 'gradient': numbers(z.grad)}


def large_loss(released):
    """LL-Cp: those above the k-th largest loss keep their correction."""
    rate = 20.
    labels = PRESENT.clone()
    steps = []
    for epoch in range(1, 4):
        for batch in BATCHES[(epoch - 1) % 2]:
            z = scores(len(batch)).requires_grad_(True)
            present = labels[batch]
            costs = -(present * logsigmoid(z) + (1 - present) * logsigmoid(-z))
            if epoch > 1:
                unobserved = torch.where(present == 0, costs, -torch.inf).detach()
                k = min(math.ceil(costs.numel() * rate / 100 - 1e-9), int((present == 0).sum()))
                limit = torch.topk(unobserved.flatten(), k).values[-1]
                costs = torch.where(unobserved >= limit, -logsigmoid(z), costs)
                labels[batch] = torch.where(unobserved > limit, 1., labels[batch])
            steps.append(stepped(epoch, batch, z, reduced(costs, released)))
            steps[-1]['corrected_labels'] = numbers(labels - PRESENT)
    return {'loss': 'll-cp', 'settings': {'large_loss_rate': rate}, 'steps': steps}


def soft_labels(released):
    """EM with APL: the lowest probabilities before an epoch become soft labels."""
    s = {'entropy_weight': 0.2, 'apl_weight': 0.4, 'apl_share': 0.8, 'apl_warm_up': 2}
    soft = torch.full((CLIPS, CLASSES), -1.).double()
    steps = []
    for epoch in range(1, EPOCHS + 1):
        z_all = scores(CLIPS)
        part = max(0, epoch - s['apl_warm_up']) / (EPOCHS - s['apl_warm_up'])
        for c in range(CLASSES):
            unchecked = [i for i in range(CLIPS) if not PRESENT[i, c]]
            wanted = math.floor(s['apl_share'] * part * len(unchecked) + 1e-9)
            made = sum(bool(soft[i, c] >= 0) for i in unchecked)
            free = sorted((z_all[i, c].item(), i) for i in unchecked if soft[i, c] < 0)
            for z_lowest, i in free[:wanted - made]:
                soft[i, c] = 1 / (1 + math.exp(-z_lowest))
        for number, batch in enumerate(BATCHES[(epoch - 1) % 2]):
            z = scores(len(batch)).requires_grad_(True)
            p, target, label = torch.sigmoid(z), PRESENT[batch], soft[batch]
            entropy = -(p * logsigmoid(z) + (1 - p) * logsigmoid(-z))
            by_label = -(label * logsigmoid(z) + (1 - label) * logsigmoid(-z))
            unknown = torch.where(label >= 0, s['apl_weight'] * by_label, -s['entropy_weight'] * entropy)
            costs = torch.where(target > 0, -logsigmoid(z), unknown)
            steps.append(stepped(epoch, batch, z, reduced(costs, released)))
            if number == 0:
                steps[-1].update(all_scores=z_all.tolist(), soft_labels=numbers(soft))
    return {'loss': 'em-apl', 'settings': s, 'steps': steps}


def role(released):
    expected = 1.5
    theta = torch.rand(CLIPS, CLASSES).double() * 0.8 - 0.4
    theta = torch.where(PRESENT > 0, math.log(0.995 / 0.005), theta)
    start = theta.float().tolist()
    theta = torch.tensor(start).double().requires_grad_(True)
    adam = torch.optim.Adam([theta], lr=10 * RATE)

    def half(own, other, target):
        q = torch.sigmoid(other).detach()
        costs = -(target * logsigmoid(own) + q * logsigmoid(own) + (1 - q) * logsigmoid(-own))
        penalty = (torch.sigmoid(own).sum(1).mean() - expected) ** 2 / CLASSES ** 2
        return costs.mean() + penalty

    steps = []
    for epoch in range(1, 13):
        for batch in BATCHES[(epoch - 1) % 2]:
            z = scores(len(batch)).requires_grad_(True)
            rows = theta[batch]
            value = 0.5 * (half(z, rows, PRESENT[batch]) + half(rows, z, PRESENT[batch]))
            adam.zero_grad()
            steps.append(stepped(epoch, batch, z, value * (CLASSES if released else 1)))
            # Not divided by the numbers of clips and classes.
            theta.grad *= len(batch) * (1 if released else CLASSES)
            adam.step()
            steps[-1]['label_scores'] = numbers(theta[batch].detach())
    return {'loss': 'role', 'settings': {'expected_labels': expected}, 'label_scores': start, 'steps': steps}


def main():
    torch.manual_seed(3)
    lines = []
    for recipe in ('paper', 'released'):
        for sequence in (large_loss, soft_labels, role):
            lines.append(json.dumps({'recipe': recipe, 'targets': TARGETS, 'epochs': EPOCHS,
                                     'learning_rate': RATE, **sequence(recipe == 'released')}))
    pathlib.Path(__file__).with_suffix('.json').write_text('[\n' + ',\n'.join(lines) + '\n]\n')


if __name__ == '__main__':
    main()
