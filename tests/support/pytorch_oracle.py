"""Trains what `stagelens-cli run --dump` dumped once more, in PyTorch and float64, and tells how far the two are apart.

pytorch_oracle.py OPTIMIZER FOLDER...

OPTIMIZER is JSON with name, lr, betas, momentum, weight_decay, clip (or null), and microbatch_size: the sequences that experts
balance and drop together. A folder may be FOLDER=OPTIMIZER, with what differs there. The answer is a JSON object on stdout: for each folder the
losses of every step and the relative error (Frobenius norm of the difference over that of PyTorch's) of each gradient of the
first step. The two models are written from their definitions, without transformers. Exit status 77: PyTorch is not there.
"""

import json
import math
import os
import struct
import sys

try:
    import torch
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

TYPES = {"F32": torch.float32, "I64": torch.int64}


def read_safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        count = math.prod(entry["shape"])
        values = torch.frombuffer(data, dtype=TYPES[entry["dtype"]], count=count, offset=entry["data_offsets"][0])
        tensors[name] = values.reshape(entry["shape"]).clone()
    return tensors


def read_tokens(path, rows, sequence):
    """[steps, rows, sequence + 1]: inputs, and the last label of each row."""
    with open(path, "rb") as file:
        tokens = torch.frombuffer(bytearray(file.read()), dtype=torch.int32)
    return tokens.reshape(-1, rows, sequence + 1).long()


def attention(query, key, value):
    """[rows, heads, sequence, size] each; every position sees itself and those before it."""
    sequence = query.shape[2]
    scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
    hidden = torch.triu(torch.ones(sequence, sequence, dtype=torch.bool), diagonal=1)
    return torch.softmax(scores.masked_fill(hidden, -math.inf), dim=3) @ value


def split_heads(x, heads):
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


class Forward:
    """What the layers of one step leave beside the logits."""

    def __init__(self, microbatch_size):
        self.microbatch_size = microbatch_size
        self.excess = {}  # by selection bias: by how much the rows of each expert exceed the mean, times the experts
        self.penalty = 0.0  # the losses of routers, mean over the microbatches


def gpt2_logits(config, p, ids, _forward):
    def norm(x, name):
        return torch.nn.functional.layer_norm(
            x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"], config["layer_norm_epsilon"]
        )

    def linear(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    def gelu_new(x):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

    heads = config["n_head"]
    x = p["transformer.wte.weight"][ids] + p["transformer.wpe.weight"][: ids.shape[1]]
    for layer in range(config["n_layer"]):
        name = f"transformer.h.{layer}."
        fused = linear(norm(x, name + "ln_1"), name + "attn.c_attn")
        query, key, value = (split_heads(part, heads) for part in fused.chunk(3, dim=2))
        x = x + linear(join_heads(attention(query, key, value)), name + "attn.c_proj")
        x = x + linear(gelu_new(linear(norm(x, name + "ln_2"), name + "mlp.c_fc")), name + "mlp.c_proj")
    x = norm(x, "transformer.ln_f")
    return x @ p["transformer.wte.weight" if config["tie_word_embeddings"] else "lm_head.weight"].T


def scaled(speeds, rule):
    """Llama 3.1's rule, in the words of transformers' _compute_llama3_parameters."""
    if rule is None:
        return speeds
    wavelengths = 2 * math.pi / speeds
    original = rule["original_max_position_embeddings"]
    low, high = rule["low_freq_factor"], rule["high_freq_factor"]
    slow = torch.where(wavelengths > original / low, speeds / rule["factor"], speeds)
    smooth = (original / wavelengths - low) / (high - low)
    between = (1 - smooth) * slow / rule["factor"] + smooth * slow
    is_between = ~(wavelengths < original / high) & ~(wavelengths > original / low)
    return torch.where(is_between, between, slow)


def router_losses(config, logits, probabilities, chosen):
    """Of one microbatch: the balance loss (arXiv 2101.03961, equation 4, for k experts) and the z-loss (arXiv 2202.08906,
    equation 5). A row for each token."""
    tokens, experts = logits.shape
    shares = torch.bincount(chosen.flatten(), minlength=experts) / chosen.numel()
    balance = experts * (shares * probabilities.mean(dim=0)).sum()
    z = torch.logsumexp(logits, dim=1).pow(2).mean()
    return config["router_aux_loss_coef"] * balance + config.get("router_z_loss_coef", 0) * z


def kept_rows(config, gates, chosen):
    """Of one microbatch: which of the tokens' choices, [tokens, k], are within the capacity of their expert."""
    experts = config["num_local_experts"]
    kept = torch.ones_like(chosen, dtype=torch.bool)
    if "capacity_factor" not in config:
        return kept
    capacity = math.ceil(config["capacity_factor"] * chosen.numel() / experts)
    for expert in range(experts):
        tokens, slots = (chosen == expert).nonzero(as_tuple=True)
        if config["drop_rule"] == "gate":
            order = torch.sort(gates[tokens, slots], descending=True, stable=True).indices
            tokens, slots = tokens[order], slots[order]
        kept[tokens[capacity:], slots[capacity:]] = False
    return kept


def llama_logits(config, p, ids, forward):
    heads = config["num_attention_heads"]
    groups = heads // config["num_key_value_heads"]
    size = config["head_dim"]
    speeds = scaled(config["rope_theta"] ** (-torch.arange(0, size, 2, dtype=torch.float64) / size), config["rope_scaling"])
    angles = torch.arange(ids.shape[1], dtype=torch.float64)[:, None] * speeds
    cosine, sine = (torch.cat([part, part], dim=1) for part in (torch.cos(angles), torch.sin(angles)))

    def turned(x):
        first, second = x.chunk(2, dim=3)
        return x * cosine + torch.cat([-second, first], dim=3) * sine

    def norm(x, name):
        return p[name + ".weight"] * x * torch.rsqrt(x.pow(2).mean(dim=2, keepdim=True) + config["rms_norm_eps"])

    def linear(x, name):
        return x @ p[name + ".weight"].T

    def mlp(x, name):
        gate = torch.nn.functional.silu(linear(x, name + "gate_proj"))
        return linear(gate * linear(x, name + "up_proj"), name + "down_proj")

    def choice(x, name):
        """The experts of each token, their gates, and the logits and shares of all experts."""
        k = config["num_experts_per_tok"]
        logits = linear(x, name + "gate")
        bias = p.get(name + "gate.e_score_correction_bias")
        if bias is None:
            shares = torch.softmax(logits, dim=2)
            greatest, chosen = logits.topk(k, dim=2)
            return chosen, torch.softmax(greatest, dim=2) if k > 1 else shares.gather(2, chosen), logits, shares
        scores = torch.sigmoid(logits)
        biased = (scores + bias).detach()
        groups = biased.unflatten(2, (config["n_group"], -1))
        limit = config["topk_group"] or config["n_group"]
        kept = groups.topk(max(1, k // limit), dim=3).values.sum(dim=3).topk(limit, dim=2).indices
        mask = torch.zeros(groups.shape[:3], dtype=torch.bool).scatter(2, kept, True)
        chosen = groups.masked_fill(~mask[..., None], -math.inf).flatten(2).topk(k, dim=2).indices
        counts = torch.bincount(chosen.flatten(), minlength=scores.shape[2])
        forward.excess[name + "gate.e_score_correction_bias"] = (counts * scores.shape[2] - chosen.numel()).double()
        gates = scores.gather(2, chosen)
        gates = gates / gates.sum(dim=2, keepdim=True) if k > 1 else gates
        return chosen, config["routed_scaling_factor"] * gates, logits, scores / scores.sum(dim=2, keepdim=True)

    def mixture(x, name):
        chosen, gates, logits, shares = choice(x, name)
        kept = []
        for begin in range(0, x.shape[0], forward.microbatch_size):
            rows = slice(begin, begin + forward.microbatch_size)
            own = [each[rows].flatten(0, 1) for each in (logits, shares, gates, chosen)]
            forward.penalty += router_losses(config, own[0], own[1], own[3]) * forward.microbatch_size / x.shape[0]
            kept.append(kept_rows(config, own[2].detach(), own[3]))
        gates = gates * torch.cat(kept).reshape(gates.shape)
        total = torch.zeros_like(x)
        for expert in range(config["num_local_experts"]):
            inner = f"{name}experts.{expert}."
            gate = torch.nn.functional.silu(linear(x, inner + "w1"))
            y = linear(gate * linear(x, inner + "w3"), inner + "w2")
            total = total + (gates * (chosen == expert)).sum(dim=2, keepdim=True) * y
        return total + mlp(x, name + "shared_experts.") if config.get("n_shared_experts", 0) > 0 else total

    def has_experts(layer):
        after = layer - config.get("first_k_dense_replace", 0)
        return "num_local_experts" in config and after >= 0 and (after + 1) % config.get("moe_layer_freq", 1) == 0

    x = p["model.embed_tokens.weight"][ids]
    for layer in range(config["num_hidden_layers"]):
        name = f"model.layers.{layer}."
        y = norm(x, name + "input_layernorm")
        query = turned(split_heads(linear(y, name + "self_attn.q_proj"), heads))
        key = turned(split_heads(linear(y, name + "self_attn.k_proj"), heads // groups))
        value = split_heads(linear(y, name + "self_attn.v_proj"), heads // groups)
        key, value = (part.repeat_interleave(groups, dim=1) for part in (key, value))
        x = x + linear(join_heads(attention(query, key, value)), name + "self_attn.o_proj")
        y = norm(x, name + "post_attention_layernorm")
        x = x + (mixture(y, name + "block_sparse_moe.") if has_experts(layer) else mlp(y, name + "mlp."))
    x = norm(x, "model.norm")
    return x @ p["model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"].T


def relative_error(ours, theirs):
    return float((ours - theirs).norm() / theirs.norm())


def check(folder, settings):
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    logits = {"gpt2": gpt2_logits, "llama": llama_logits, "mixtral": llama_logits, "stagelens_moe": llama_logits}[config["model_type"]]
    values = read_safetensors(os.path.join(folder, "model.safetensors"))
    parameters = {name: value.double() for name, value in values.items()}
    trained = {name: value.requires_grad_() for name, value in parameters.items() if not name.endswith("_bias")}
    dumped = read_safetensors(os.path.join(folder, "gradients.safetensors"))
    batch = read_safetensors(os.path.join(folder, "batch.safetensors"))
    tokens = read_tokens(os.path.join(folder, "tokens.bin"), *batch["input_ids"].shape)
    if not (torch.equal(tokens[0, :, :-1], batch["input_ids"]) and torch.equal(tokens[0, :, 1:], batch["labels"])):
        raise SystemExit(f"{folder}: batch.safetensors and the first step of tokens.bin differ")
    if dumped.keys() != parameters.keys():
        raise SystemExit(f"{folder}: model.safetensors and gradients.safetensors differ in their names")
    common = {"lr": settings["lr"], "weight_decay": settings["weight_decay"]}
    if settings["name"] == "sgd":
        optimizer = torch.optim.SGD(trained.values(), momentum=settings["momentum"], **common)
    else:
        optimizer = torch.optim.AdamW(trained.values(), betas=settings["betas"], eps=1e-8, **common)
    losses = []
    errors = {}
    for step, rows in enumerate(tokens):
        optimizer.zero_grad()
        forward = Forward(settings["microbatch_size"])
        predicted = logits(config, parameters, rows[:, :-1], forward)
        loss = torch.nn.functional.cross_entropy(predicted.flatten(0, 1), rows[:, 1:].flatten())
        (loss + forward.penalty).backward()
        if step == 0:
            theirs = forward.excess | {name: value.grad for name, value in trained.items()}
            errors = {name: relative_error(dumped[name].double(), theirs[name]) for name in parameters}
        if settings["clip"] is not None:
            torch.nn.utils.clip_grad_norm_(trained.values(), settings["clip"])
        optimizer.step()
        for name, more in forward.excess.items():
            parameters[name] -= config["router_bias_rate"] * torch.sign(more)
        losses.append(loss.item())
    return {"losses": losses, "gradient_errors": errors}


def main():
    torch.set_num_threads(1)
    settings = json.loads(sys.argv[1])
    answer = {}
    for argument in sys.argv[2:]:
        folder, _, own = argument.partition("=")
        answer[folder] = check(folder, settings | json.loads(own or "{}"))
    print(json.dumps({"torch": torch.__version__, "folders": answer}))


if __name__ == "__main__":
    main()
