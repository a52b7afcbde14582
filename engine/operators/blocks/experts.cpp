// The second half of a llama's layer: a SwiGLU MLP, or a mixture of experts (Mixtral, arXiv 2401.04088; with one expert a token
// Switch Transformer, arXiv 2101.03961; with sigmoid routers and shared experts DeepSeek-V3, arXiv 2412.19437): a router
// chooses k of E such MLPs for each token. Without expert ranks a microbatch of T tokens has T k rows whatever the router
// chooses.
#include "engine/operators/blocks/feed_forward.h"

namespace stagelens::operators {
namespace {

struct Names {
    std::string_view gate, up, activated, result;
};
constexpr Names kDense{"gate", "up", "activated", "down"};
constexpr Names kShared{"shared gate", "shared up", "shared activated", "shared down"};

/// Returns the output of an MLP whose inner width is `width`.
ValueId addMlp(BlockBuilder &block, const FeedForward &mlp, ValueId x, std::int64_t width, const Names &names)
{
    const ValueId gate = block.value(names.gate, width);
    const ValueId up = block.value(names.up, width);
    block.linear(x, {{mlp.gate, -1, gate}, {mlp.up, -1, up}});
    return block.linear(names.result, block.swiGlu(names.activated, gate, up), mlp.down);
}

std::int64_t sharedWidth(const model::ModelConfig &model)
{
    return std::int64_t{model.sharedExperts} * model.expertWidth();
}

Routing routingOf(const model::ModelConfig &model)
{
    return {model.experts,      model.topK,           model.auxLoss,
            model.zLoss,        model.router,         model.routerScale,
            model.routerGroups, model.chosenGroups(), model.capacityFactor.value_or(0),
            model.dropRule};
}

/// Sets that tensor ranks divide the inner width of an MLP.
void cutMlp(BlockBuilder &block, const FeedForward &mlp, std::int64_t width)
{
    for (const int each : {mlp.gate, mlp.up})
        block.cut(each, Cut::Outputs, {{width, width}});
    block.cut(mlp.down, Cut::Inputs);
}

} // namespace

FeedForward denseParameters(BlockBuilder &block, const model::ModelConfig &model)
{
    FeedForward made;
    made.gate = block.matrix("mlp.gate_proj.weight", model.hidden, model.ffn);
    made.up = block.matrix("mlp.up_proj.weight", model.hidden, model.ffn);
    made.down = block.matrix("mlp.down_proj.weight", model.ffn, model.hidden);
    cutMlp(block, made, model.ffn);
    return made;
}

ValueId addDense(BlockBuilder &block, const FeedForward &parameters, ValueId x, ValueId residual,
                 const model::ModelConfig &model)
{
    return block.add("out", addMlp(block, parameters, x, model.ffn, kDense), residual);
}

MixtureOfExperts expertParameters(BlockBuilder &block, const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t f = model.expertWidth();
    block.routing(routingOf(model));
    MixtureOfExperts made;
    made.router = block.matrix("block_sparse_moe.gate.weight", h, model.experts);
    block.cut(made.router, Cut::Partial);
    if (model.hasRouterBias())
        made.bias = block.vector("block_sparse_moe.gate.e_score_correction_bias", model.experts, Initial::RouterBias);
    made.routed.gate = block.expertMatrices("block_sparse_moe.experts.*.w1.weight", h, f);
    made.routed.down = block.expertMatrices("block_sparse_moe.experts.*.w2.weight", f, h);
    made.routed.up = block.expertMatrices("block_sparse_moe.experts.*.w3.weight", h, f);
    cutMlp(block, made.routed, f);
    if (const std::int64_t width = sharedWidth(model); width > 0) {
        FeedForward &shared = made.shared.emplace();
        shared.gate = block.matrix("block_sparse_moe.shared_experts.gate_proj.weight", h, width);
        shared.up = block.matrix("block_sparse_moe.shared_experts.up_proj.weight", h, width);
        shared.down = block.matrix("block_sparse_moe.shared_experts.down_proj.weight", width, h);
        cutMlp(block, shared, width);
    }
    return made;
}

ValueId addExperts(BlockBuilder &block, const MixtureOfExperts &parameters, ValueId x, ValueId residual,
                   const model::ModelConfig &model)
{
    if (parameters.shared)
        residual = block.add("with shared", addMlp(block, *parameters.shared, x, sharedWidth(model), kShared), residual);
    const std::int64_t inner = model.innerWidth();
    const ValueId logits = block.linear("logits", x, parameters.router);
    const BlockBuilder::Routed routed = block.route(logits, parameters.bias);
    const ValueId dispatched = block.dispatch("dispatched", x, routed);
    const ValueId gate = block.value("gate", inner);
    const ValueId up = block.value("up", inner);
    block.expertLinear(dispatched, routed, {{parameters.routed.gate, -1, gate}, {parameters.routed.up, -1, up}});
    const ValueId activated = block.expertSwiGlu("activated", gate, up, routed);
    const ValueId down = block.value("down", std::int64_t{model.topK} * model.hidden);
    block.expertLinear(activated, routed, {{parameters.routed.down, -1, down}});
    return block.add("out", block.combine("combined", down, routed), residual);
}

} // namespace stagelens::operators
