// A mixture of experts (Mixtral, arXiv 2401.04088; with one expert a token Switch Transformer, arXiv 2101.03961): a router
// chooses k of E SwiGLU MLPs for each token. All experts are on the device of their stage, so a microbatch of T tokens has T k
// rows whatever the router chooses.
#include "engine/operators/blocks/feed_forward.h"

namespace stagelens::operators {

FeedForward expertParameters(BlockBuilder &block, const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t f = model.expertWidth();
    block.routing({model.experts, model.topK, model.auxLoss, model.zLoss});
    FeedForward made;
    made.router = block.matrix("block_sparse_moe.gate.weight", h, model.experts);
    made.gate = block.expertMatrices("block_sparse_moe.experts.*.w1.weight", h, f);
    made.down = block.expertMatrices("block_sparse_moe.experts.*.w2.weight", f, h);
    made.up = block.expertMatrices("block_sparse_moe.experts.*.w3.weight", h, f);
    return made;
}

ValueId addExperts(BlockBuilder &block, const FeedForward &parameters, ValueId x, ValueId residual,
                   const model::ModelConfig &model)
{
    const std::int64_t inner = model.innerWidth();
    const ValueId logits = block.linear("logits", x, parameters.router);
    const BlockBuilder::Routed routed = block.route(logits);
    const ValueId dispatched = block.dispatch("dispatched", x, routed);
    const ValueId gate = block.value("gate", inner);
    const ValueId up = block.value("up", inner);
    block.expertLinear(dispatched, routed, {{parameters.gate, -1, gate}, {parameters.up, -1, up}});
    const ValueId activated = block.expertSwiGlu("activated", gate, up, routed);
    const ValueId down = block.value("down", std::int64_t{model.topK} * model.hidden);
    block.expertLinear(activated, routed, {{parameters.down, -1, down}});
    return block.add("out", block.combine("combined", down, routed), residual);
}

} // namespace stagelens::operators
