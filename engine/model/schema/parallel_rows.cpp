#include "engine/model/schema/row.h"

namespace stagelens::model {

namespace {

// Larger than any real plan, and small enough that no product of sizes overflows.
constexpr double kMostPlannedDevices = 1024;
constexpr double kMostRanksOfAxis = 1 << 16;
constexpr double kMostMicrobatches = 1'000'000;
constexpr double kLargestMicrobatch = 1 << 20;
constexpr double kMostStepsAlone = 1'000'000;

} // namespace

std::vector<Field> parallelRows()
{
    return {
        row("parallel.devices", "--devices", "p", "Devices", "pipeline devices", MEMBER(parallel.devices),
            range(1, kMostPlannedDevices), sweep({"2, 4, 8", 2})),
        row("parallel.microbatches", "--microbatches", "m", "Microbatches", "microbatches of a step",
            MEMBER(parallel.microbatches), range(1, kMostMicrobatches), sweep({"4, 8, 16, 32, 64", 3})),
        row("parallel.microbatch_size", "--microbatch-size", "b", "Microbatch size", "sequences of a microbatch",
            MEMBER(parallel.microbatchSize), range(1, kLargestMicrobatch), sweep({"1, 2, 4", 4, true})),
        row("parallel.stage_layers", "--stage-layers", "4/4/...", "Layers of each stage",
            "layers of each stage, such as 2/2/2/2 (default: as even as possible)", MEMBER(parallel.stageLayers),
            where(kHasModel)),
        row("parallel.tensor", "--tensor", "t", "Tensor ranks", "ranks that share each layer: heads and inner columns",
            MEMBER(parallel.tensor), range(1, kMostRanksOfAxis), omitted(), sweep({"1, 2, 4", 11, true})),
        row("parallel.sequence_parallel", "--sequence-parallel", "--no-sequence-parallel", "Sequence parallel",
            "with tensor ranks: each has the tokens of its own outside of attention and MLP (on by default)",
            MEMBER(parallel.sequenceParallel), omitted(), where(kHasTensorRanks)),
        row("parallel.vocabulary_sharding", "--vocabulary-sharding", "OVER", "Vocabulary is divided over",
            "with tensor ranks: rank divides the rows of the token tables over them; device lets them divide the tokens "
            "instead",
            MEMBER(parallel.vocabularySharding),
            oneOf({{"rank", "All ranks", "Each rank holds V / (p t) rows"},
                   {"device", "Devices", "Tensor ranks hold the same V / p rows, and divide the tokens"}}),
            omitted(), where(kHasTensorRanks)),
        row("parallel.context", "--context", "c", "Context ranks",
            "ranks that share each sequence: each has the tokens of two chunks of it", MEMBER(parallel.context),
            range(1, kMostRanksOfAxis), omitted()),
        row("parallel.context_method", "--context-method", "HOW", "Keys of other ranks",
            "how context ranks reach the keys and values of others", MEMBER(parallel.contextMethod),
            oneOf({{"all-gather", "All-gather", "Each rank gathers the keys and values of the whole sequence"},
                   {"ring", "Ring", "Keys and values travel around the ranks while attention works on the last ones"},
                   {"ulysses", "Ulysses", "Ranks exchange tokens for heads before and after attention"}}),
            omitted(), where(kHasContextRanks)),
        row("parallel.replicas", "--replicas", "d", "Replicas",
            "data-parallel copies of the pipeline, each with its own microbatches", MEMBER(parallel.replicas),
            range(1, kMostRanksOfAxis), omitted(), sweep({"1, 2, 4", 12, true})),
        row("parallel.expert", "--expert-parallel", "e", "Expert ranks",
            "ranks that share the experts of each layer, folded over tensor ranks and adjacent replicas; a divisor of the "
            "experts and of tensor ranks times replicas, and a multiple of the tensor ranks",
            MEMBER(parallel.expert), range(1, kMostRanksOfAxis), omitted(),
            where([](const Experiment &e) { return kHasExperts(e) || e.parallel.expert > 1; })),
        row("parallel.expert_headroom", "--expert-headroom", "F", "Expert headroom",
            "with expert ranks: rows of tokens that a rank has memory for, as a multiple of those of balanced experts",
            MEMBER(parallel.expertHeadroom), range(1, 1024), omitted(), where(kHasExpertRanks)),
        row("parallel.expert_dispatch", "--expert-dispatch", "HOW", "Copies of a token",
            "with expert ranks: expert sends a token to each of its experts; node sends it once to each node of its experts, "
            "whose ranks forward it",
            MEMBER(parallel.expertDispatch),
            oneOf({{"expert", "One for each expert", "A rank sends k copies of each token"},
                   {"node", "One for each node", "Ranks of a node forward tokens among themselves"}}),
            omitted(), where(kHasExpertRanks)),
        row("parallel.dispatch_precision", "--dispatch-precision", "P", "Precision to experts",
            "with expert ranks: precision of tokens and gradients on their way to experts: same as the model's, or fp8, which "
            "changes the training",
            MEMBER(parallel.dispatchPrecision),
            oneOf({{"same", "That of the model", "Tokens and results have the same precision"},
                   {"fp8", "8 bits", "e4m3 on the way to experts, with a factor for every 128 numbers"}}),
            omitted(), where(kHasExpertRanks)),
        row("parallel.message_precision", "--message-precision", "P", "Precision of messages",
            "of activations and gradients between stages on different devices: same as the model's, bf16, fp8 or int8, which "
            "changes the training",
            MEMBER(parallel.messagePrecision),
            oneOfPacked("The bits that a stage has computed",
                        "e4m3 forward, e5m2 backward, with a factor for every 128 numbers"),
            omitted(), where([](const Experiment &e) { return kHasModel(e) || e.parallel.packsMessages(); })),
        row("parallel.zero", "--zero", "STAGE", "ZeRO",
            "what replicas shard: 0 nothing, 1 optimizer state, 2 also gradients, 3 also parameters (FSDP)",
            MEMBER(parallel.zero), range(0, 3), omitted()),
        row("parallel.zero2", "--zero2", "WHEN", "Gradients are reduced",
            "with --zero 2: deferred reduces gradients once, at the end of the step; eager after every backward",
            MEMBER(parallel.zero2),
            oneOf({{"deferred", "Once", "At the end of the step; until then every replica holds all gradients"},
                   {"eager", "Every backward", "Less memory, m times the traffic; only predicted"}}),
            omitted(), where(kIsZero<2>)),
        row("parallel.zero3", "--zero3", "HOW", "Parameters are gathered",
            "with --zero 3: resident gathers parameters once a step; reshard for every pass; keep-until-backward for every "
            "microbatch",
            MEMBER(parallel.zero3),
            oneOf({{"resident", "Once", "At the begin of the step; they stay whole until its end"},
                   {"reshard", "Every pass", "Least memory; a microbatch gathers twice and reduces once; only predicted"},
                   {"keep-until-backward", "Every microbatch",
                    "In its forward, for its backward as well; on one device; only predicted"}}),
            omitted(), where(kIsZero<3>)),
        row("parallel.shard_replicas", "--shard-replicas", "n", "Replicas of a shard group",
            "with ZeRO: adjacent replicas that shard among themselves, a divisor of the replicas; 0: all",
            MEMBER(parallel.shardReplicas), range(0, kMostRanksOfAxis), omitted(), notInEditor()),
        row("parallel.sync_every", "--sync-every", "H", "Steps between averages",
            "1: replicas sum their gradients in every step; more: each trains alone, and their weights are averaged every H "
            "steps "
            "(local SGD), which changes the training",
            MEMBER(parallel.syncEvery), range(1, kMostStepsAlone), omitted(), sweep({"1, 4, 16, 64", 13, true}),
            where([](const Experiment &e) { return kHasReplicas(e) || kAveragesWeights(e); })),
        row("parallel.rank_order", "--rank-order", "ORDER", "Order of ranks",
            "axes from adjacent ranks to the slowest: a permutation of tp-cp-dp-pp", MEMBER(parallel.rankOrder), omitted(),
            notInEditor()),
    };
}

} // namespace stagelens::model
