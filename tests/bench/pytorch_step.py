#!/usr/bin/env python3
"""A training step of GPT-2's architecture in PyTorch eager: what Stagelens' own step is compared with.

Prints one JSON document: versions, libraries, and for each way to compute attention the seconds of every step. A step is
forward and backward of every microbatch, with gradients accumulated, and AdamW. Everything runs on one thread in fp32.
"""
import argparse
import json
import math
import os
import time

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import torch  # noqa: E402: the thread counts must be set first
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402


def naive_attention(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @ value


def fused_attention(query, key, value, _mask):
    return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def gelu_tanh(x):
    """GPT-2's "gelu_new"; one kernel where this PyTorch has it."""
    return functional.gelu(x, approximate="tanh")


class Layer(nn.Module):
    def __init__(self, hidden, heads, attend):
        super().__init__()
        self.heads, self.attend = heads, attend
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.widen, self.narrow = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x, mask):
        batch, sequence, hidden = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, sequence, 3, self.heads, hidden // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = self.attend(query, key, value, mask).transpose(1, 2).reshape(batch, sequence, hidden)
        x = x + self.out(mixed)
        return x + self.narrow(gelu_tanh(self.widen(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, shape, attend):
        super().__init__()
        self.tokens = nn.Embedding(shape.vocabulary_size, shape.hidden)
        self.positions = nn.Embedding(shape.sequence, shape.hidden)
        self.layers = nn.ModuleList(Layer(shape.hidden, shape.heads, attend) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.hidden)
        self.output = nn.Linear(shape.hidden, shape.vocabulary_size, bias=False)
        self.register_buffer("mask", torch.ones(shape.sequence, shape.sequence).triu(1).bool(), persistent=False)

    def forward(self, ids, labels):
        x = self.tokens(ids) + self.positions.weight[: ids.size(1)]
        for layer in self.layers:
            x = layer(x, self.mask)
        return functional.cross_entropy(self.output(self.norm(x)).flatten(0, 1), labels.flatten())


def optimizers():
    """AdamW's settings by name: PyTorch's ways to walk over the parameters that it has on this processor."""
    yield "foreach", {"foreach": True}
    yield "loop", {"foreach": False}
    yield "fused", {"fused": True}


def make_optimizer(model, choice):
    settings = dict(optimizers())[choice]
    return torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.0, **settings)


def train(shape, attend, choice, steps):
    torch.manual_seed(shape.seed)
    model = Gpt(shape, attend)
    optimizer = make_optimizer(model, choice)
    seconds, losses = [], []
    for _ in range(steps):
        tokens = torch.randint(shape.vocabulary_size, (shape.microbatches, shape.microbatch_size, shape.sequence + 1))
        begin = time.perf_counter()
        total = 0.0
        for part in tokens:
            loss = model(part[:, :-1], part[:, 1:]) / shape.microbatches
            loss.backward()
            total += loss.item()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seconds.append(time.perf_counter() - begin)
        losses.append(total)
    return {"seconds": seconds, "losses": losses}


def gflops(rows, columns, inner, repeats):
    a, b = torch.randn(rows, inner), torch.randn(inner, columns)
    best = math.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        a @ b
        best = min(best, time.perf_counter() - begin)
    return 2e-9 * rows * columns * inner / best


def variants(shape):
    """Every combination of attention and optimizer that this PyTorch knows, with its figures."""
    ways = {"naive": naive_attention}
    if hasattr(functional, "scaled_dot_product_attention"):
        ways["scaled_dot_product_attention"] = fused_attention
    for attention, attend in ways.items():
        for optimizer, _ in optimizers():
            if shape.only and shape.only != f"{attention}+{optimizer}":
                continue
            try:
                figures = train(shape, attend, optimizer, shape.steps)
            except (RuntimeError, TypeError) as error:  # an optimizer that this version lacks
                figures = {"refused": str(error).splitlines()[0]}
            yield {"attention": attention, "optimizer": optimizer, **figures}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in {"hidden": 512, "layers": 8, "heads": 8, "sequence": 256, "vocabulary-size": 32768, "microbatches": 4,
                        "microbatch-size": 1, "steps": 5, "seed": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", help="one variant: ATTENTION+OPTIMIZER")
    shape = parser.parse_args()
    torch.set_num_threads(1)
    blas = next((part.strip() for part in torch.__config__.show().split(",") if "BLAS_INFO" in part), "")
    print(json.dumps({"version": torch.__version__, "blas": blas, "gflops_1024": gflops(1024, 1024, 1024, 10),
                      "variants": list(variants(shape))}))


if __name__ == "__main__":
    main()
