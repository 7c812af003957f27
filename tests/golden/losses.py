# SPDX-License-Identifier: MIT
"""Writes losses.json: every loss and its gradient in plain PyTorch, in double, for both recipes.

The formulas are those of the paper and its supplement, class by class; targets are A (absent),
P (present) and U (unknown: left out). Needs python3-torch: python3 -P tests/golden/losses.py
"""
import json
import pathlib

import torch

DEFAULT = {'smoothing': 0.1, 'focal_balance': 0.25, 'focal_focus': 2.0, 'entropy_weight': 0.2}
OTHER = {'smoothing': 0.3, 'focal_balance': 0.6, 'focal_focus': 1.5, 'entropy_weight': 0.5}


def smoothed(target, present, absent):
    """The target of a class: `present` where it is 1, `absent` where it is 0."""
    return target * present + (1 - target) * absent


def costs(name, z, present, s, released):
    """The cost of each class of each clip."""
    log_p, log_not_p = torch.nn.functional.logsigmoid(z), torch.nn.functional.logsigmoid(-z)
    p, classes, epsilon = torch.sigmoid(z), z.shape[1], s['smoothing']
    absent = 1 - present
    if name in ('an', 'mask', 'p+s'):
        return -(present * log_p + absent * log_not_p)
    if name == 'wan':
        return -(present * log_p + absent * log_not_p / max(1, classes - 1))
    if name == 'ls':
        t = (smoothed(present, 1 - epsilon + epsilon / classes, epsilon / classes) if released else
             smoothed(present, 1 - epsilon / 2, epsilon / 2))
        return -(t * log_p + (1 - t) * log_not_p)
    if name == 'n-ls':
        t = smoothed(present, 1, epsilon / classes if released else epsilon)
        return -(t * log_p + (1 - t) * log_not_p)
    if name == 'focal':
        alpha, gamma = s['focal_balance'], s['focal_focus']
        return -(present * alpha * torch.sigmoid(-z) ** gamma * log_p +
                 absent * (1 - alpha) * p ** gamma * log_not_p)
    if name == 'em':
        entropy = -(p * log_p + torch.sigmoid(-z) * log_not_p)
        return -(present * log_p + absent * s['entropy_weight'] * entropy)
    raise ValueError(name)


def loss(name, z, targets, s, released):
    counts = torch.tensor([[t != 'U' for t in row] for row in targets])
    present = torch.tensor([[t == 'P' for t in row] for row in targets]).double()
    if name == 'ce':
        log_p = torch.log_softmax(z.masked_fill(~counts, -torch.inf), dim=1)
        belief = present / present.sum(dim=1, keepdim=True)
        return -(belief * log_p.masked_fill(~counts, 0)).sum(dim=1).mean()
    sums = (costs(name, z, present, s, released) * counts).sum(dim=1)
    if released and name != 'focal':
        return sums.mean()
    return (sums / counts.sum(dim=1)).mean()


def random_case(clips, classes, settings):
    """Scores in eighths, some of them extreme; one Present at least in each row."""
    z = (torch.randn(clips, classes) * 32).round() / 8
    z = torch.where(torch.rand(clips, classes) < 0.1, 30 * z.sign(), z)
    targets = []
    for _ in range(clips):
        row = ['APU'[i] for i in torch.multinomial(torch.tensor([6., 1, 1]), classes, True)]
        row[torch.randint(classes, ()).item()] = 'P'
        targets.append(''.join(row))
    return {'scores': z.tolist(), 'targets': targets, 'settings': settings}


def solved(case):
    case['results'] = []
    for name in ('an', 'wan', 'ls', 'n-ls', 'focal', 'em', 'mask', 'p+s', 'ce'):
        for recipe in ('paper', 'released'):
            z = torch.tensor(case['scores'], dtype=torch.float64, requires_grad=True)
            value = loss(name, z, case['targets'], case['settings'], recipe == 'released')
            value.backward()
            case['results'].append({
                'loss': name, 'recipe': recipe, 'value': float(f'{value.item():.9g}'),
                'gradient': [[float(f'{g:.7g}') for g in row] for row in z.grad.tolist()]})
    return case


def main():
    torch.manual_seed(1)
    cases = [random_case(3, 1, DEFAULT), random_case(3, 7, OTHER), random_case(2, 8, DEFAULT),
             random_case(4, 9, DEFAULT), random_case(1, 97, DEFAULT)]
    lines = ',\n'.join(json.dumps(solved(case)) for case in cases)
    pathlib.Path(__file__).with_suffix('.json').write_text('[\n' + lines + '\n]\n')


if __name__ == '__main__':
    main()
