"""Mutations of the engine, each of which a test must detect. `before` occurs once in the file; the mutant has `after` in its place.
The first five are those that any implementation of tensor parallelism is prone to; the others drop a collective, or what a
collective adds up."""
from typing import NamedTuple


class Mutation(NamedTuple):
    name: str
    file: str
    before: str
    after: str
    test: str      # tests/<test>.cpp
    function: str  # of that test, or "function:row"


PARTITION = "engine/operators/partition.cpp"
COLLECTIVES = "engine/runtime/executor/tensor_collectives.cpp"
SESSION = "engine/runtime/training/session.cpp"
KEYS = "engine/runtime/layers/key_exchange.cpp"
HEADS = "engine/runtime/layers/head_exchange.cpp"
MESSAGES = "engine/runtime/executor/device_messages.cpp"
GPU_LANE = "engine/backend/cuda/gpu_host_lane.cpp"
GPU_COPIES = ("integration/gpu/offload", "copiesAndKernelsWaitForEachOther")
GPU_OFFLOAD = ("integration/gpu/offload", "changesNoBit")
HOST_UPDATE = "engine/runtime/state/host_update.cpp"
GPU_HOST = ("integration/gpu/host_state", "bitsDependOnNothingElse")
CUTS = ("integration/tensor_ranks", "gradientsMatchTheReferenceInEveryCut")
CONTEXT = ("integration/ranks/context", "gradientsMatchTheReferenceInEveryCut")
PARTS = ("integration/ranks/expert_parts", "gradientsMatchTheReference")
NODES = ("integration/ranks/expert_nodes", "changesNoBit:two nodes")
DISPATCH = "integration/ranks/expert_dispatch"
FOLDED = ("integration/ranks/folded_experts", "gradientsMatchTheReference")
PASS_RUN = "engine/runtime/executor/pass_run.h"
ZERO_IN_PASSES = "integration/ranks/zero_in_passes"
BY_TOKENS = ("integration/ranks/vocabulary_by_tokens", "ranksTrainAsOne")

MUTATIONS = [
    Mutation("gradients of norms are not summed over tensor ranks", COLLECTIVES,
             "each.needsSum && (each.copies == m_ranks) == isOfAll)",
             "each.needsSum && each.copies != m_ranks && (each.copies == m_ranks) == isOfAll)", *CUTS),
    Mutation("the bias of a row-parallel product is added before the sum, once by every rank", PARTITION,
             "const int bias = std::exchange(projection.bias, -1);", "const int bias = -1;", *CUTS),
    Mutation("gradients of replicated key and value heads are not summed", COLLECTIVES,
             "each.needsSum && (each.copies == m_ranks) == isOfAll)",
             "each.needsSum && each.copies == m_ranks && (each.copies == m_ranks) == isOfAll)", *CUTS),
    Mutation("ranks have each other's heads and columns", PARTITION,
             "const std::int64_t part = rank / (ranks / parts);",
             "const std::int64_t part = parts - 1 - rank / (ranks / parts);", *CUTS),
    Mutation("a replicated parameter counts once for every rank in the norm of the gradient",
             "engine/runtime/processes/control_channel.cpp", "!part->isCopy && !part->isRepeated &&", "!part->isCopy &&",
             "integration/tensor_ranks", "ranksTrainAsOne"),
    Mutation("an all-gather over tensor ranks brings no rows", COLLECTIVES,
             "m_context.compute.copy(exchange.out + theirs.begin, m_context.of(message), theirs.size());", "", *CUTS),
    Mutation("a sum over tensor ranks has one part", COLLECTIVES,
             "m_context.compute.sumParts(m_values, own.size());", "", *CUTS),
    Mutation("maxima of tensor ranks are not combined", COLLECTIVES,
             "m_context.compute.combineMaxima(all.maximum, m_addresses, rows);", "(void)all;", *CUTS),
    Mutation("sums of tensor ranks are not combined", COLLECTIVES,
             "m_context.compute.combineSums(all, all.maximum, m_addresses);", "", *CUTS),
    Mutation("replicas do not sum their gradients", SESSION,
             "exchange(timeline::AnchoredKind::ReduceGradients);", "(void)exchange;",
             "integration/replicas", "gradientsMatchTheReference"),
    Mutation("passes of ZeRO-3 do not gather the parameters that others hold", PASS_RUN,
             "m_gathers(!isEvaluation && exchanging != nullptr && exchanging->gathers(pass.kind))",
             "m_gathers(false)", ZERO_IN_PASSES, "bitsDependOnNeitherModeNorForm:d 4, e 2"),
    Mutation("replicas do not gather the parameters that others updated", SESSION,
             "    if (m_plan.gradientRanks() > 1 && (parallel.zero == 1 || parallel.zero == 2))\n"
             "        exchange(timeline::AnchoredKind::GatherParameters);", "",
             "integration/replicas", "bitsDependOnNeitherZeroNorModeNorSchedule"),
    Mutation("groups of replicas do not sum over the groups", "engine/runtime/executor/replica_exchange.cpp",
             "if (m_groups > 1)\n        return {Step::SendParts, Step::AddParts, Step::SendSums, Step::AddSums};", "",
             "integration/replicas", "groupsOfReplicasHaveTheirOwnBits"),
    Mutation("replicas that train alone are not averaged", SESSION,
             "    if (parallel.averagesAfter(index))\n        exchange(timeline::AnchoredKind::AverageParameters);", "",
             "integration/training/local_sgd_verified", "everyReplicaIsVerified"),
    Mutation("the average of weights is a sum", "engine/runtime/executor/replica_exchange.cpp",
             "1.0F / static_cast<float>(m_replicas)", "1.0F",
             "integration/training/local_sgd_verified", "everyReplicaIsVerified"),
    Mutation("the gradients of copies of a parameter are not summed", SESSION,
             "hooks.tail.push_back({.together = [this] { return m_devices.sumCopies(); }, .onDevice = {}});", "{}",
             "integration/verify_tied", "holds:1f1b"),
    Mutation("keys of other context ranks do not arrive", KEYS,
             "        placeKeys(exchange, other, part);\n", "        (void)exchange;\n", *CONTEXT),
    Mutation("gradients of keys are not summed over context ranks", KEYS,
             "m_context.compute.sumParts(m_values, m_context.shape.tokens() * width());", "",
             *CONTEXT),
    Mutation("a ring leaves gradients of keys out", KEYS,
             "m_context.compute.addScaled(sum, exchange.in, 1.0F, count);", "",
             *CONTEXT),
    Mutation("heads of other context ranks do not arrive", HEADS,
             "            place(exchange, other, m_context.of(part));\n", "",
             *CONTEXT),
    Mutation("ranks that route other tokens are not counted", "engine/runtime/layers/choice_exchange.cpp",
             "        m_context.compute.add(sums, part->data(), exchange.width);\n", "", *FOLDED),
    Mutation("experts drop rows of each rank alone", PARTITION,
             "block = withSharedDrops(withSummedChoices(std::move(block)));",
             "block = withSummedChoices(std::move(block));", *FOLDED),
    Mutation("experts drop rows in the order of ranks", "engine/runtime/layers/drop_exchange.cpp",
             "const std::int64_t place = first / shape.sequence * shape.wholeSequence() + position;",
             "const std::int64_t place = rank / parts * shape.tokens() + first + 0 * position;", *PARTS),
    Mutation("forwarded rows take the gate of another choice", "engine/runtime/layers/expert_forwarding.cpp",
             "gates[size(row)] = m_head[size(gatesAt() + at)];",
             "gates[size(row)] = m_head[size(gatesAt() + at - at % m_topK)];", *NODES),
    Mutation("gradients go to experts in all their bits", "engine/runtime/layers/expert_exchange.cpp",
             "return isToExperts(exchange.kind) ? m_context.shape.dispatched : std::nullopt;",
             "return exchange.kind == TensorExchange::Kind::SendRows ? m_context.shape.dispatched : std::nullopt;",
             DISPATCH, "rowsHaveFourBits"),
    Mutation("rows go to experts with factors that are not powers of two", "kernels/cpu/codec.cpp",
             "const float factor = kFactors == Factors::Powers ? powerAbove(exact) : exact;", "const float factor = exact;",
             DISPATCH, "productsIn8BitsReadTheSameNumbers"),
    Mutation("the router losses of a slice count as those of a whole microbatch", "engine/runtime/layers/expert_kernels.cpp",
             "m_context.shape.passWeight()", "m_context.shape.microbatchWeight()",
             "integration/training/sliced_experts", "gradientsAreThoseOfTheReference:seq1f1b"),
    Mutation("a shared expert leaves its gradient of the input out", "engine/operators/differentiate.cpp",
             "        step.accumulates = true;\n        appendWrite(op.inputs[0], std::move(step), true);\n    }\n\n"
             "    /// Each summand has the gradient of the sum.", "    }\n\n    /// Each summand has the gradient of the sum.",
             *FOLDED),
    Mutation("shards of the vocabulary do not combine their statistics", MESSAGES,
             "        compute().combineShards(all, m_addresses);", "        (void)all;",
             *CUTS),
    Mutation("a copy of a GPU does not wait for the kernels before it", GPU_LANE,
             "    require(gpu::wait(m_stream.get(), m_before), \"waiting for kernels\");\n", "", *GPU_COPIES),
    Mutation("kernels of a GPU do not wait for a copy", GPU_LANE,
             "    require(gpu::wait(m_kernels, m_marks.event(2 * static_cast<std::int64_t>(copy) + 1)), \"waiting for a copy\");\n",
             "    (void)copy;\n", *GPU_COPIES),
    Mutation("a GPU frees what it offloads before the copy has ended", "engine/runtime/offload/device_copies.cpp",
             "    if (!join(m_offloads))\n        return false;\n", "", *GPU_OFFLOAD),
    Mutation("a GPU uses what it reloads before the copy has ended", "engine/runtime/offload/device_copies.cpp",
             "    return join(m_reloads);", "    return true;", *GPU_OFFLOAD),
    Mutation("a device computes a layer before its weights have arrived", "engine/runtime/layers/layer_weights.cpp",
             "    if (!waitFor(*own))\n"
             "        return; // the run was stopped, and the results of the pass are dropped\n", "",
             "integration/training/host_state", "copiesKeepToTheLink"),
    Mutation("a GPU computes a layer before its weights have arrived", "engine/runtime/layers/layer_weights.cpp",
             "        m_lane->join(slot.lastCopy);\n", "        slot.isArriving = false;\n", *GPU_HOST),
    Mutation("a GPU uses weights before its host has returned them", HOST_UPDATE,
             "    m_lane->join(m_lane->launch({Move{parameter.rounded.values().first(from.size()), from}, {}}));\n",
             "    (void)m_lane->launch({Move{parameter.rounded.values().first(from.size()), from}, {}});\n", *GPU_HOST),
    Mutation("the host of a GPU updates before the gradient has arrived", HOST_UPDATE,
             "    m_lane->finish();\n    m_lane->beginStep();\n", "    m_lane->beginStep();\n",
             "integration/gpu/host_state", "updatesAreThoseOfAProcessor"),
    Mutation("the host does not return the weights", "engine/runtime/state/optimizer.cpp",
             "        refreshRead(m_parameter, m_compute);\n", "",
             "integration/training/host_state", "changesNoBitOfSlices"),
    Mutation("a resumed run has sent all of its gradients", "engine/runtime/training/unsent_gradients.cpp",
             "                replace(*device, numbers);\n", "                (void)numbers;\n",
             "integration/training/compression", "continuesWithWhatWasNotSent"),
    Mutation("a resumed run of 1-bit Adam corrects its second moments by all updates",
             "engine/runtime/training/model_tensors.cpp",
             "part->secondUpdates = ofSecondMoments[size(part->index)];",
             "part->secondUpdates = (void(ofSecondMoments), counts)[size(part->index)];",
             "integration/training/compression", "continuesWithWhatWasNotSent:one-bit-adam"),
    Mutation("a server of 1-bit Adam averages nothing", "engine/operators/compression/onebit.cpp",
             "        kernels.decodeSigns(sum, messages, count);\n", "",
             "integration/training/one_bit_adam", "lossesFall"),
    Mutation("gradients of tables are not summed over the ranks that divide their tokens",
             "engine/runtime/executor/device_model.cpp", "        repeatOver(plan, tensorRank, rows);\n}",
             "        repeatOver(plan, tensorRank, rows);\n    rows.needsSum = false;\n}",
             *BY_TOKENS),
    Mutation("tensor ranks that divide the tokens have those of the first rank", "engine/runtime/data/context_tokens.h",
             "? shape.firstOwn(tensorRank) : 0;", "? shape.firstOwn(0 * tensorRank) : 0;", *BY_TOKENS),
    Mutation("losses of ranks that divide the tokens are left out", "engine/runtime/plan/run_plan.h",
             "return place.tensor == 0 || shape.split.dividesVocabularyByTokens;", "return place.tensor == 0;", *BY_TOKENS),
]
