# SPDX-License-Identifier: MIT
"""Writes losses.json: every loss and its gradient in plain PyTorch, in double, for both recipes.

The formulas are those of the paper and its supplement and of the papers of the later losses, class
by class; targets are A (absent), P (present) and U (unknown: left out). Losses that depend on the
epoch are computed in several epochs. Needs python3-torch: python3 -P tests/golden/losses.py
"""
import itertools
import json
import math
import pathlib

import torch

DEFAULT = {'smoothing': 0.1, 'focal_balance': 0.25, 'focal_focus': 2.0, 'entropy_weight': 0.2,
           'asl_focus_present': 1.0, 'asl_focus_absent': 4.0, 'asl_clip': 0.05, 'margin': 1.0,
           'hill_lambda': 1.5, 'splc_threshold': 0.6, 'splc_warm_up': 1, 'large_loss_rate': 0.2,
           'gr_slope_start': 0.0, 'gr_slope_end': 2.0, 'gr_offset_start': -2.0, 'gr_offset_end': -2.0,
           'gr_mean_start': 0.5, 'gr_mean_end': 0.8, 'gr_spread_start': 2.0, 'gr_spread_end': 0.5,
           'gr_q_present': 0.01, 'gr_q_absent': 1.0, 'expected_labels': 2.4}
OTHER = {'smoothing': 0.3, 'focal_balance': 0.6, 'focal_focus': 1.5, 'entropy_weight': 0.5,
         'asl_focus_present': 0.0, 'asl_focus_absent': 2.5, 'asl_clip': 0.2, 'margin': 0.25,
         'hill_lambda': 1.25, 'splc_threshold': 0.8, 'splc_warm_up': 3, 'large_loss_rate': 8.0,
         'gr_slope_start': 0.0, 'gr_slope_end': 10.0, 'gr_offset_start': -2.0, 'gr_offset_end': -8.0,
         'gr_mean_start': 0.4, 'gr_mean_end': 0.7, 'gr_spread_start': 1.0, 'gr_spread_end': 0.25,
         'gr_q_present': 0.5, 'gr_q_absent': 1.5, 'expected_labels': 1.5}
# Not clipped, and with many large losses.
THIRD = {**DEFAULT, 'asl_clip': 0.0, 'asl_focus_absent': 0.0, 'large_loss_rate': 30.0,
         'expected_labels': 6.0}
EPOCHS = 8
LATER = {'asl': [1], 'hill': [1], 'splc': [1, 2, 4], 'll-r': [1, 2, 6], 'll-ct': [1, 2, 6],
         'll-cp': [1, 2, 6], 'em-apl': [1], 'gr': [1, 4, 8], 'role': [1], 'epr': [1]}


def smoothed(target, present, absent):
    """The target of a class: `present` where it is 1, `absent` where it is 0."""
    return target * present + (1 - target) * absent


def scheduled(s, name, epoch):
    start, end = s[f'{name}_start'], s[f'{name}_end']
    return start + (end - start) * (epoch - 1) / (EPOCHS - 1)


def focal(z, present, gamma):
    """Without balance."""
    logs = torch.nn.functional.logsigmoid
    return -(present * torch.sigmoid(-z) ** gamma * logs(z) +
             (1 - present) * torch.sigmoid(z) ** gamma * logs(-z))


def later_costs(name, z, present, counts, s, epoch):
    """The cost of each class of each clip, of losses that others published."""
    log_p, log_not_p = torch.nn.functional.logsigmoid(z), torch.nn.functional.logsigmoid(-z)
    p, absent = torch.sigmoid(z), 1 - present
    if name == 'asl':
        positive = torch.sigmoid(-z) ** s['asl_focus_present'] * -log_p
        shifted = torch.clamp(p - s['asl_clip'], min=0)
        log_rest = torch.where(p > s['asl_clip'], torch.log(torch.sigmoid(-z) + s['asl_clip']),
                               torch.zeros_like(z))
        negative = shifted ** s['asl_focus_absent'] * -log_rest
        return present * positive + absent * negative
    if name == 'hill':
        return (present * focal(z - s['margin'], present, s['focal_focus']) +
                absent * (s['hill_lambda'] - p) * p ** 2)
    if name == 'splc':
        moved = z - s['margin'] * present
        if epoch > s['splc_warm_up']:
            present = torch.where(torch.sigmoid(moved) > s['splc_threshold'], 1., present)
        return focal(moved, present, s['focal_focus'])
    if name.startswith('ll-'):
        unobserved = (absent.bool() & counts)
        losses = torch.where(unobserved, -log_not_p, -torch.inf)
        growth = 1 if name == 'll-cp' else epoch - 1
        k = min(math.ceil(counts.sum().item() * growth * s['large_loss_rate'] / 100 - 1e-9),
                unobserved.sum().item())
        plain = -(present * log_p + absent * log_not_p)
        if epoch == 1 or k == 0:
            return plain
        large = unobserved & (losses >= torch.topk(losses.flatten(), k).values[-1])
        return torch.where(large, torch.zeros_like(z) if name == 'll-r' else -log_p, plain)
    if name == 'gr':
        sure = p.detach()
        k = torch.sigmoid(scheduled(s, 'gr_slope', epoch) * sure + scheduled(s, 'gr_offset', epoch))
        v = torch.exp(-(sure - scheduled(s, 'gr_mean', epoch)) ** 2 /
                      (2 * scheduled(s, 'gr_spread', epoch) ** 2))
        q2, q3 = s['gr_q_present'], s['gr_q_absent']
        unknown = v * (k * -torch.expm1(q2 * log_p) / q2 + (1 - k) * -torch.expm1(q3 * log_not_p) / q3)
        return present * -log_p + absent * unknown
    if name in ('role', 'epr'):
        return present * -log_p
    raise ValueError(name)


def costs(name, z, present, s, released):
    """The cost of each class of each clip."""
    log_p, log_not_p = torch.nn.functional.logsigmoid(z), torch.nn.functional.logsigmoid(-z)
    p, classes, epsilon = torch.sigmoid(z), z.shape[1], s['smoothing']
    absent = 1 - present
    if name in ('an', 'mask', 'p+s', 'cross-mask'):
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
    if name in ('em', 'em-apl'):
        entropy = -(p * log_p + torch.sigmoid(-z) * log_not_p)
        return -(present * log_p + absent * s['entropy_weight'] * entropy)
    raise ValueError(name)


def count_penalty(z, counts, s, weights):
    """The squared difference of the number of labels and the expected one."""
    excess = (weights * ((torch.sigmoid(z) * counts).sum(1) - s['expected_labels'])).mean()
    return excess ** 2 / (weights * counts.sum(1)).mean()


def loss(name, z, targets, s, released, epoch):
    counts = torch.tensor([[t != 'U' for t in row] for row in targets])
    present = torch.tensor([[t == 'P' for t in row] for row in targets]).double()
    if name in ('ce', 'ce-mask', 'ce-p+s', 'cross-fit'):
        log_p = torch.log_softmax(z.masked_fill(~counts, -torch.inf), dim=1)
        belief = present / present.sum(dim=1, keepdim=True)
        return -(belief * log_p.masked_fill(~counts, 0)).sum(dim=1).mean()
    if name in LATER and name != 'em-apl':
        each = later_costs(name, z, present, counts, s, epoch)
    else:
        each = costs(name, z, present, s, released)
    weights = 1. / counts.sum(dim=1)
    if released and name != 'focal':
        weights = torch.ones_like(weights)
    mean = (weights * torch.where(counts, each, torch.zeros_like(z)).sum(dim=1)).mean()
    return mean + count_penalty(z, counts, s, weights) if name in ('role', 'epr') else mean


def random_case(clips, classes, settings, extreme=30):
    """Scores in eighths, some of them extreme; one Present at least in each row."""
    z = (torch.randn(clips, classes) * 32).round() / 8
    z = torch.where(torch.rand(clips, classes) < 0.1, extreme * z.sign(), z)
    targets = []
    for _ in range(clips):
        row = ['APU'[i] for i in torch.multinomial(torch.tensor([6., 1, 1]), classes, True)]
        row[torch.randint(classes, ()).item()] = 'P'
        targets.append(''.join(row))
    return {'scores': z.tolist(), 'targets': targets, 'settings': settings}


def solved(case):
    case['results'] = []
    names = ['an', 'wan', 'ls', 'n-ls', 'focal', 'em', 'mask', 'p+s', 'ce', 'ce-mask', 'ce-p+s', 'cross-fit',
             'cross-mask', *LATER]
    for name, recipe in itertools.product(names, ('paper', 'released')):
        for epoch in LATER.get(name, [1]):
            z = torch.tensor(case['scores'], dtype=torch.float64, requires_grad=True)
            value = loss(name, z, case['targets'], case['settings'], recipe == 'released', epoch)
            value.backward()
            case['results'].append({
                'loss': name, 'recipe': recipe, 'epoch': epoch, 'epochs': EPOCHS,
                'value': float(f'{value.item():.9g}'),
                'gradient': [[float(f'{g:.7g}') for g in row] for row in z.grad.tolist()]})
    return case


def main():
    torch.manual_seed(1)
    cases = [random_case(3, 1, DEFAULT), random_case(3, 7, OTHER), random_case(2, 8, DEFAULT),
             random_case(4, 9, DEFAULT), random_case(1, 97, DEFAULT),
             random_case(3, 11, OTHER, 100), random_case(3, 8, THIRD, 100)]
    lines = ',\n'.join(json.dumps(solved(case)) for case in cases)
    pathlib.Path(__file__).with_suffix('.json').write_text('[\n' + lines + '\n]\n')


if __name__ == '__main__':
    main()
