# SPDX-License-Identifier: MIT
"""Writes mlp.json: (Linear, ReLU, BatchNorm1d) x 2 and Linear, as torch.nn computes them.

Holds the weights, the scores and gradients of two batches in training, and then the scores and the
last hidden layer with the remembered statistics. Needs python3-torch: python3 -P tests/golden/mlp.py
"""
import json
import pathlib

import torch
from torch import nn

INPUTS, HIDDEN, CLASSES, CLIPS = 3, (5, 4), 2, 6


def make():
    layers, inputs = {}, INPUTS
    for i, size in enumerate(HIDDEN):
        layers[f'hidden{i}'] = nn.Linear(inputs, size)
        layers[f'relu{i}'] = nn.ReLU()
        layers[f'norm{i}'] = nn.BatchNorm1d(size)
        inputs = size
    layers['classifier'] = nn.Linear(inputs, CLASSES)
    model = nn.Sequential()
    for name, layer in layers.items():
        model.add_module(name, layer)
    for name, p in model.named_parameters():
        if name.startswith('norm'):
            nn.init.normal_(p, 1.0, 0.5)
    return model


def state(model):
    return {name: tensor.flatten().tolist() for name, tensor in model.state_dict().items()
            if not name.endswith('num_batches_tracked')}


def main():
    torch.manual_seed(3)
    model = make()
    golden = {'inputs': INPUTS, 'hidden': HIDDEN, 'classes': CLASSES, 'start': state(model)}
    model.train()
    for number in range(2):
        batch = torch.randn(CLIPS, INPUTS) * 3
        score_gradients = torch.randn(CLIPS, CLASSES)
        scores = model(batch)
        model.zero_grad()
        scores.backward(score_gradients)
        golden[f'training{number}'] = {
            'batch': batch.tolist(), 'score_gradients': score_gradients.tolist(), 'scores': scores.tolist(),
            'gradients': {name: p.grad.flatten().tolist() for name, p in model.named_parameters()}}
    model.eval()
    batch = torch.randn(4, INPUTS) * 3
    with torch.no_grad():
        golden['end'] = state(model)
        golden['evaluation'] = {'batch': batch.tolist(), 'hidden': model[:-1](batch).tolist(),
                                'scores': model(batch).tolist()}
    lines = ',\n'.join(f'{json.dumps(key)}: {json.dumps(value)}' for key, value in golden.items())
    pathlib.Path(__file__).with_suffix('.json').write_text('{\n' + lines + '\n}\n')


if __name__ == '__main__':
    main()
