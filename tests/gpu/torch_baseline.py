#!/usr/bin/env python3
"""Time of a training step of a GPT in PyTorch with torch.compile, for comparison with the same model in Stagelens.

The model is Stagelens's gpt: learned positions, LayerNorm with bias, fused queries, keys and values with bias, causal attention,
an MLP with GELU (tanh), an untied output layer. Weights, gradients and AdamW moments are float32; products are in bfloat16
(autocast), as in Stagelens. Prints one line of JSON. FLOPs: 6 per weight of a product and token, and attention under its mask.

  python3 tests/gpu/torch_baseline.py --layers 24 --hidden 2048 --heads 16 --sequence 2048 --vocabulary-size 50304 \
      --microbatch-size 4 --microbatches 1
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as functional
from torch import nn


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, sequence, hidden = x.shape
        q, k, v = (part.view(batch, sequence, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, sequence, hidden))
        return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, options):
        super().__init__()
        hidden = options.hidden
        self.tokens = nn.Embedding(options.vocabulary_size, hidden)
        self.positions = nn.Embedding(options.sequence, hidden)
        self.blocks = nn.ModuleList(Block(hidden, options.heads) for _ in range(options.layers))
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, options.vocabulary_size, bias=False)

    def forward(self, ids, labels):
        x = self.tokens(ids) + self.positions.weight
        x = x.to(torch.bfloat16)  # the residual stream, as in Stagelens
        for block in self.blocks:
            x = block(x)
        return self.loss(x, labels)

    def loss(self, x, labels):
        logits = self.head(self.norm(x))
        return functional.cross_entropy(logits.view(-1, logits.size(-1)).float(), labels.view(-1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("layers", 24), ("hidden", 2048), ("heads", 16), ("sequence", 2048), ("vocabulary-size", 50304),
                        ("microbatch-size", 4), ("microbatches", 1), ("steps", 12), ("warm-up", 4)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--eager", action="store_true", help="without torch.compile")
    options = parser.parse_args()
    torch.manual_seed(1)
    model = Gpt(options).cuda()
    if not options.eager:
        for block in model.blocks:
            block.compile()  # one graph for all layers: they compile once
        model.loss = torch.compile(model.loss)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    shape = (options.microbatches, options.microbatch_size, options.sequence)
    ids = torch.randint(0, options.vocabulary_size, shape, device="cuda")
    labels = torch.randint(0, options.vocabulary_size, shape, device="cuda")
    seconds = []
    loss = None
    for step in range(options.warm_up + options.steps):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for i in range(options.microbatches):
            with torch.autocast("cuda", torch.bfloat16):
                loss = model(ids[i], labels[i]) / options.microbatches
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        torch.cuda.synchronize()
        if step >= options.warm_up:
            seconds.append(time.perf_counter() - begin)
    median = statistics.median(seconds)
    tokens = options.microbatches * options.microbatch_size * options.sequence
    weights = 12 * options.layers * options.hidden**2 + options.vocabulary_size * options.hidden
    flops = 6 * weights * tokens + 6 * options.layers * options.hidden * options.sequence * tokens
    print(json.dumps({"torch": torch.__version__, "compiled": not options.eager, "gpu": torch.cuda.get_device_name(),
                      "median_ms": 1e3 * median, "least_ms": 1e3 * min(seconds), "tokens_per_second": tokens / median,
                      "flops": flops, "mfu_of_989": flops / median / 989e12,
                      "peak_memory_bytes": torch.cuda.max_memory_allocated(), "loss": loss.item() * options.microbatches}))


if __name__ == "__main__":
    main()
