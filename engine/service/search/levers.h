// The lever board: what each change of a plan saves on its fullest device, and what it costs in time and in equality of
// numbers.
#pragma once

#include "engine/service/search/predict.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stagelens::service {

/// What happens to the numbers of a training run.
enum class Numbers : unsigned char {
    SameBits,         ///< losses and gradients have the same bits
    SameMathematics,  ///< sums have another order, so that results are rounded differently
    OtherMathematics, ///< another training, whose loss must be compared
    OtherModel,       ///< another model, whose quality must be measured
};
[[nodiscard]] std::string_view name(Numbers numbers); ///< "bit-equal", "same mathematics", "other mathematics", "other model"

/// Levers of one kind exclude each other.
enum class LeverKind : unsigned char {
    Layers,    ///< recomputation of layers and of attention's probabilities
    Operators, ///< recomputation of operators
    Stored,    ///< precision of what layers keep for their backward
    Attention,
    Offload, ///< of activations
    Microbatch,
    Cut, ///< of the layers into stages
    Schedule,
    Pairs, ///< a forward and a backward at once
    Vocabulary,
    Logits, ///< kept or computed again
    Width,  ///< of the token tables: a factorised vocabulary
    Zero,
    SequenceParallel,
    VocabularySharding, ///< what tensor ranks divide in vocabulary layers
    Context,            ///< context ranks in the place of replicas, with as many ranks and sequences of a step
    Optimizer,
    Host, ///< what it keeps: optimizer state, and weights of layers
    Precision,
    Messages,    ///< precision of messages between stages
    Compression, ///< of the gradients that replicas exchange
    Averaging,   ///< of the weights of replicas that train alone, in the place of their gradients (local SGD)
};
[[nodiscard]] std::string_view name(LeverKind kind); ///< "recomputed layers", ...

struct Lever {
    LeverKind kind = LeverKind::Layers;
    std::string options; ///< of the command line, "--recompute 3/1/0/0"; of a combination those of each part
    Numbers numbers = Numbers::SameBits;
    model::Experiment experiment;               ///< the plan with it
    std::vector<std::size_t> parts = {};        ///< of a combination: levers
    std::optional<base::Nanos> iteration = {};  ///< absent if the plan is impossible
    std::optional<base::Bytes> peakMemory = {}; ///< of the fullest device
    base::Problems refusal = {};
    /// No other lever or combination, and not the plan itself, is as good in time, memory and numbers, and better in one.
    bool isOnFront = false;
};

struct LeverBoard {
    base::Nanos iteration = 0; ///< of the plan as it is
    base::Bytes peakMemory = 0;
    std::optional<base::Bytes> limit;     ///< of a device: the plan's, else the hardware's capacity
    std::vector<Lever> levers;            ///< in the order of their kinds
    std::vector<Lever> combinations = {}; ///< of two levers or more that are on the front, fastest first
    bool cancelled = false;
};

/// Predicts every lever of a plan with a model, and then combinations of those that save memory, as long as the front gains; at
/// most about 150 predictions. `progress` is called on the caller's thread after each.
[[nodiscard]] base::Result<LeverBoard> leverBoard(const Prediction &prediction, int cores, const SearchOptions &options = {});

} // namespace stagelens::service
