// The time of vocabulary layers by kernel, from FLOPs, bytes and a hardware preset. Work: arXiv 2411.05288, section 4 and
// table 4.
#pragma once

#include "engine/passes/recipe_book.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/layer_costs.h"

#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// Seconds of one part of a pass in a vocabulary layer.
struct VocabularyLeg {
    std::string_view name; ///< "products", "softmax", ...
    double seconds = 0;
    bool isExchange = false; ///< among the tensor ranks
    double bytes = 0;        ///< of an exchange: that a rank sends
    double flops = 0;        ///< of matrix products
};
using VocabularyLegs = std::vector<VocabularyLeg>;
/// Returns the sum in list order.
[[nodiscard]] double secondsOf(const VocabularyLegs &legs);
/// Returns the part of the sum in exchanges among tensor ranks.
[[nodiscard]] ExchangeCost exchangesOf(const VocabularyLegs &legs);

/// The vocabulary work of passes, in order of execution; empty for passes without any.
class VocabularyCosts {
public:
    VocabularyCosts(const model::Experiment &experiment, const schedule::Schedule &schedule, const LayerCosts &layer,
                    const Traffic &traffic);

    /// Returns the work of S, U, T, EF or EB on a device. That of devices differs if they draw their words.
    [[nodiscard]] VocabularyLegs pass(schedule::PassKind kind, int device) const;
    /// Returns the work of the whole embedding and the whole output layer inside F, B, I or W of a stage.
    [[nodiscard]] VocabularyLegs embedding(schedule::PassKind kind, int stage) const;
    [[nodiscard]] VocabularyLegs output(schedule::PassKind kind, int stage) const;

private:
    /// Seconds and FLOPs that depend on how many logits a device computes of a token.
    struct LogitCosts {
        double
            product; ///< one product of X with the matrix or its shard: 2 b s h V; factorised 2 b s E V; K times with K heads
        double productFlops;
        double partProduct;  ///< the same on one part of the tokens after another
        double partGradient; ///< the same for the gradient of the matrix
        double softmax;      ///< statistics and exponentials
        double gradient;     ///< of the logits
        double cast;         ///< of the local softmax to the compute type, for its product
        double sampleRows;   ///< rows of drawn words and of labels, copied for a product of a sampled softmax
    };
    [[nodiscard]] static LogitCosts costsOfLogits(double columns, const model::Experiment &experiment, const LayerCosts &layer,
                                                  const Traffic &traffic);
    struct Product {
        double seconds = 0;
        double flops = 0;
    };
    /// Takes the work of the tails of an adaptive softmax, of as many tokens as a text has words of them.
    void addTails(const model::Experiment &experiment, const schedule::Schedule &schedule, const LayerCosts &layer,
                  const Traffic &traffic);
    /// Returns the work of the steps of tails among those of a pass on a device that holds rows of them.
    [[nodiscard]] Product tailShards(const schedule::PassRole &role, int device) const;
    /// Returns the work of the vocabulary steps among those of a pass.
    [[nodiscard]] VocabularyLegs legs(const schedule::PassRole &role, int device = 0) const;

    /// Exchanges among tensor ranks of rows of a table.
    struct RowExchanges {
        ExchangeCost gather; ///< own rows to all
        ExchangeCost sum;    ///< parts of a sum to the sum
    };

    const schedule::RecipeBook &m_recipes;
    int m_lastStage;
    std::vector<LogitCosts> m_logits; ///< of each device, or one for all
    double m_copies;                  ///< of X and dX
    double m_lookUp;
    Product m_inputMap;  ///< one product of a factorised vocabulary between the two widths: 2 b s E h
    Product m_outputMap; ///< the same for the output, of all its heads
    double m_scatter;
    Product m_tails; ///< loss and gradients of the tails of an adaptive softmax on one device
    /// The tables of the tails on a device that holds rows of them.
    struct TailCosts {
        Product product;     ///< of narrow rows with the tables
        double softmax = 0;  ///< statistics and exponentials
        double gradient = 0; ///< of the logits
    };
    std::vector<TailCosts> m_tailShards; ///< of each device; empty if one device computes the tails
    RowExchanges m_input;
    RowExchanges m_output;
    ExchangeCost m_maxima; ///< softmax statistics among tensor ranks
    ExchangeCost m_statistics;
};

} // namespace stagelens::simulate
