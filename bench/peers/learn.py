"""Forward and backward in PyTorch: learn.py lstm; learn.py vit TOKENS

The LSTM has 16 units and runs over 64 sequences of 128 steps of 20 numbers; the layer of a vision transformer is 768
wide, with 12 heads of softmax attention, norms first and GELU. The faster of eager PyTorch's own layers is what counts.
"""

import sys

from common import absent, best_of, report

try:
    import torch
except Exception as error:
    absent(error)

torch.set_num_threads(1)


def lstm():
    module, x = torch.nn.LSTM(20, 16), torch.randn(128, 64, 20, requires_grad=True)
    gradient = torch.randn(128, 64, 16)
    return lambda: module(x)[0].backward(gradient)


def vit(tokens):
    layer = torch.nn.TransformerEncoderLayer(
        768, 12, 3072, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    x, gradient = torch.randn(1, tokens, 768, requires_grad=True), torch.randn(1, tokens, 768)
    return lambda: layer(x).backward(gradient)


run = lstm() if sys.argv[1] == "lstm" else vit(int(sys.argv[2]))
report(f"PyTorch {torch.__version__}", best_of(run, runs=5) * 1e6)
