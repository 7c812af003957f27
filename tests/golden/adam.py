# SPDX-License-Identifier: MIT
"""Writes adam.json: ten steps of torch.optim.Adam on two small tensors with given gradients.

Some gradients are so small that epsilon counts, some are 0. Needs python3-torch:
python3 -P tests/golden/adam.py
"""
import json
import pathlib

import torch

SHAPES = [(3, 4), (5,)]
STEPS = 10


def main():
    torch.manual_seed(2)
    parameters = [torch.randn(shape, requires_grad=True) for shape in SHAPES]
    start = [p.flatten().tolist() for p in parameters]
    steps = []
    optimiser = torch.optim.Adam(parameters, lr=0.01)
    for step in range(STEPS):
        for p in parameters:
            p.grad = torch.randn(p.shape) * 10.0 ** (step - 9)
            if step % 2:
                p.grad[0] = 0
        optimiser.step()
        steps.append(json.dumps({'gradients': [p.grad.flatten().tolist() for p in parameters],
                                 'parameters': [p.flatten().tolist() for p in parameters]}))
    path = pathlib.Path(__file__).with_suffix('.json')
    path.write_text('{\n"learning_rate": 0.01,\n"start": ' + json.dumps(start) + ',\n"steps": [\n' +
                    ',\n'.join(steps) + '\n]\n}\n')


if __name__ == '__main__':
    main()
