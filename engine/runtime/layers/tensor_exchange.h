// What the tensor ranks of a device exchange in the middle of a pass.
#pragma once

#include "engine/operators/recipe.h"
#include "engine/runtime/executor/context.h"

namespace stagelens::runtime {

/// A collective among the tensor ranks. Rows are cut into as many equal parts as there are ranks; the last may be short. Parts
/// are added in rank order.
struct TensorExchange {
    enum class Kind : unsigned char {
        AllGather,     ///< out [rows, width] <- the part of each rank from `in`
        ReduceScatter, ///< out <- the rank's part of the sum of `in` [rows, width] over the ranks
        AllReduce,     ///< out <- the sum of `in` [rows, width]; may be the same tensor
        Maxima,        ///< out (statistics): maximum <- the greatest of the ranks
        Sums,          ///< out (statistics): sum and target <- the sums over the ranks
    };
    Kind kind = Kind::AllGather;
    Values in;
    Values out;
    std::int64_t width = 0; ///< numbers of a row
};

[[nodiscard]] constexpr TensorExchange::Kind exchangeKind(operators::Exchange exchange)
{
    switch (exchange) {
    case operators::Exchange::AllGather: break;
    case operators::Exchange::ReduceScatter: return TensorExchange::Kind::ReduceScatter;
    case operators::Exchange::AllReduce: return TensorExchange::Kind::AllReduce;
    }
    return TensorExchange::Kind::AllGather;
}

} // namespace stagelens::runtime
