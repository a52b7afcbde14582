// What the ranks of a device exchange in a pass: tensor, context and expert ranks in its middle, replicas before and after it.
#pragma once

#include "engine/operators/recipe.h"
#include "engine/runtime/layers/context.h"

namespace stagelens::runtime {

/// A collective among the tensor, context or expert ranks. Rows are cut into as many equal parts as there are ranks; the last
/// may be short. Parts are added in rank order.
struct TensorExchange {
    enum class Kind : unsigned char {
        AllGather,     ///< out [rows, width] <- the part of each rank from `in`
        ReduceScatter, ///< out <- the rank's part of the sum of `in` [rows, width] over the ranks
        AllReduce,     ///< out <- the sum of `in` [rows, width]; may be the same tensor
        Maxima,        ///< out (statistics): maximum <- the greatest of the ranks
        Sums,          ///< out (statistics): sum and target <- the sums over the ranks
        // Among the context ranks: see operators::Exchange.
        GatherKeys,
        ScatterKeys,
        RingKeys,
        RingGradients,
        TokensToHeads,
        HeadsToTokens,
        // Among the ranks that route parts of a microbatch.
        SumChoices,
        DropRows, ///< `in`: gates, `out`: routes
        // Among the replicas, of all parameters of the device, in passes that do so (ZeRO): see ReplicaExchange.
        GatherParameters,
        ReduceGradients,
        // Among the expert ranks.
        SendRows,
        ReturnRows,
        SendGradients,
        ReturnGradients,
    };
    Kind kind = Kind::AllGather;
    Values in;
    Values out;
    std::int64_t width = 0; ///< numbers of a row; of SumChoices: experts; of DropRows: experts of a token
    int hop = 0;            ///< of a ring
    // Of exchanges among expert ranks; see ExpertExchange.
    Values gatesIn = {}; ///< float; their gradients are in the precision of the run
    Values gatesOut = {};
    float *routes = nullptr;
    float *arrivals = nullptr;
};

[[nodiscard]] constexpr bool isOverExperts(TensorExchange::Kind kind)
{
    return kind >= TensorExchange::Kind::SendRows;
}

[[nodiscard]] constexpr bool isOverContext(TensorExchange::Kind kind)
{
    return kind >= TensorExchange::Kind::GatherKeys && kind < TensorExchange::Kind::SumChoices;
}

[[nodiscard]] constexpr bool isOverReplicas(TensorExchange::Kind kind)
{
    return kind == TensorExchange::Kind::GatherParameters || kind == TensorExchange::Kind::ReduceGradients;
}

[[nodiscard]] constexpr bool isOfHeads(TensorExchange::Kind kind)
{
    return kind >= TensorExchange::Kind::TokensToHeads && isOverContext(kind);
}

[[nodiscard]] constexpr TensorExchange::Kind exchangeKind(operators::Exchange exchange)
{
    switch (exchange) {
    case operators::Exchange::AllGather: break;
    case operators::Exchange::ReduceScatter: return TensorExchange::Kind::ReduceScatter;
    case operators::Exchange::AllReduce: return TensorExchange::Kind::AllReduce;
    case operators::Exchange::GatherKeys: return TensorExchange::Kind::GatherKeys;
    case operators::Exchange::ScatterKeys: return TensorExchange::Kind::ScatterKeys;
    case operators::Exchange::RingKeys: return TensorExchange::Kind::RingKeys;
    case operators::Exchange::RingGradients: return TensorExchange::Kind::RingGradients;
    case operators::Exchange::SumChoices: return TensorExchange::Kind::SumChoices;
    case operators::Exchange::DropRows: return TensorExchange::Kind::DropRows;
    case operators::Exchange::TokensToHeads: return TensorExchange::Kind::TokensToHeads;
    case operators::Exchange::HeadsToTokens: return TensorExchange::Kind::HeadsToTokens;
    case operators::Exchange::SendRows: return TensorExchange::Kind::SendRows;
    case operators::Exchange::ReturnRows: return TensorExchange::Kind::ReturnRows;
    case operators::Exchange::SendGradients: return TensorExchange::Kind::SendGradients;
    case operators::Exchange::ReturnGradients: return TensorExchange::Kind::ReturnGradients;
    }
    return TensorExchange::Kind::AllGather;
}

} // namespace stagelens::runtime
