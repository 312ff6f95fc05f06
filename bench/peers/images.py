"""A training step of a net for images in PyTorch: images.py resnet WIDTH BLOCKS BATCH

Forward, cross entropy, backward and a step of SGD with momentum over pictures [28, 28, 1]: the net of kind resnet with
four stages. The faster of the two orders of PyTorch's numbers in memory is what counts.
"""

import sys

from common import absent, best_of, report

try:
    import torch
except Exception as error:
    absent(error)

torch.set_num_threads(1)
nn = torch.nn


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.convolution1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.convolution2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.beside = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.beside = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = torch.relu(self.norm1(self.convolution1(x)))
        return torch.relu(self.norm2(self.convolution2(y)) + self.beside(x))


def resnet(width, blocks):
    layers = [nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    inputs = width
    for stage in range(4):
        for block in range(blocks):
            outputs = width << stage
            layers.append(Block(inputs, outputs, 2 if stage and not block else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 10))


def step_of(model, batch, order):
    model = model.to(memory_format=order)
    optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    x = torch.randn(batch, 1, 28, 28).to(memory_format=order)
    labels = torch.randint(0, 10, (batch,))

    def step():
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        optimiser.step()

    return step


width, blocks, batch = (int(word) for word in sys.argv[2:5])
best = min(best_of(step_of(resnet(width, blocks), batch, order), runs=5)
           for order in (torch.contiguous_format, torch.channels_last))
report(f"PyTorch {torch.__version__}", best * 1e3)
