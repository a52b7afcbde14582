// The parts of a pass of a layer: its halves, and the operators and exchanges of each.
#pragma once

#include <cstddef>
#include <string>

namespace stagelens::simulate {

/// Seconds of one operator in a half of a pass, for one layer.
struct Leg {
    std::size_t op = 0; ///< index in Block::operators
    std::string name;   ///< the values that the operator writes: "norm1", "gate, up"; of an exchange "all-gather norm1"
    double seconds = 0;
    bool isRecomputed = false;
    bool isExchange = false; ///< among the tensor or context ranks
    double bytes = 0;        ///< of an exchange: that a rank sends
    bool isContext = false;  ///< of an exchange: among the context ranks
    bool isExpert = false;   ///< of an exchange: among the expert ranks
    double flops = 0;        ///< of matrix products and attention (all pairs of positions), as the model's FLOPs are counted
    double latency = 0;      ///< of an exchange among the expert ranks: its seconds for a single byte
};
/// The total cost of exchanges.
struct ExchangeCost {
    double seconds = 0;
    double bytes = 0;   ///< that a rank sends
    double latency = 0; ///< see Leg::latency
    friend ExchangeCost operator+(const ExchangeCost &one, const ExchangeCost &other)
    {
        return {one.seconds + other.seconds, one.bytes + other.bytes, one.latency + other.latency};
    }
    friend ExchangeCost operator*(int layers, const ExchangeCost &one)
    {
        return {layers * one.seconds, layers * one.bytes, layers * one.latency};
    }
};

/// The parts of a pass's work.
enum class PassHalf : unsigned char { Forward, InputGradient, WeightGradient };
inline constexpr std::size_t kPassHalves = 3;

/// The recomputation of a layer in the backward: the operators that the plan's policy and modules name, or all of them.
enum class Rebuilds : unsigned char { Nothing, Operators, Layer };
inline constexpr std::size_t kRebuilds = 3;

} // namespace stagelens::simulate
