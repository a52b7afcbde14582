// The tails of an adaptive softmax (arXiv 1609.04309) on devices that each hold rows of every tail. The tokens of a microbatch
// are sorted by tail. The device of the last stage maps their rows to narrow ones, which follow X in its messages: tail by
// tail, [tokens of the tail, its width]. So do their gradients follow that of X. The statistics of tail tokens follow those of
// the head in the same order.
#pragma once

#include "engine/runtime/executor/step_state.h"
#include "engine/runtime/layers/context.h"
#include "engine/runtime/state/parameters.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// The tokens of a microbatch whose labels are words of a tail, in order.
struct TailRows {
    model::VocabularyTail tail;
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> words; ///< labels, from the first word of the tail on
    std::int64_t counted = 0;        ///< the loss is the sum over the first
    std::int64_t first = 0;          ///< row among those of all tails
    std::int64_t place = 0;          ///< of the first number of these rows among those of all tails
};
/// Returns those of a microbatch of the step at hand, for every tail.
[[nodiscard]] std::vector<TailRows> tailRows(const StepState &step, int microbatch, const Shape &shape);

/// The shards of all tails on a device, and on that of the last stage their maps. Used by the thread of its device, on
/// processors. Computes logits in the room of the head's exponentials, for as many tokens at a time as it has, and so again for
/// gradients.
class TailShards {
public:
    struct Shard {
        Parameter *map = nullptr; ///< P [width, h]; null on other devices
        Parameter &table;         ///< rows of U [words, width]
    };
    /// `head`: the rows of the output layer on this device; `shards`: over which tables are divided.
    TailShards(std::vector<Shard> tails, const Parameter &head, std::int64_t shards)
        : m_tails(std::move(tails)), m_head(head), m_shards(shards)
    {}

    using Tails = std::span<const TailRows>;
    /// Computes rows [X | X P^T of each tail] from X.
    void narrow(Values rows, ConstValues x, Tails tails, const Context &context) const;
    /// Computes the gradient of X from that of such rows, and adds those of the maps.
    void narrowBackward(Values out, ConstValues gradient, ConstValues x, Tails tails, const Context &context) const;
    /// Where VOCAB-2 writes E U, and rows of U of local labels; both empty: nowhere.
    struct Parts {
        Values weighed;
        Values labels;
    };
    /// Computes the statistics of this shard.
    void statistics(const Parts &parts, int microbatch, Tails tails, const Context &context) const;
    /// Makes local sums, and E U unless it is empty, relative to the maxima in the statistics instead of those of this shard.
    void rescale(Values weighed, int microbatch, Tails tails, const Context &context) const;
    /// Adds the gradient of the tables, and computes this shard's part of that of the narrow rows unless `rows` is empty.
    void addGradients(Values rows, const kernels::SoftmaxStatistics &all, int microbatch, Tails tails,
                      const Context &context) const;

private:
    /// The tokens of a tail that are computed at a time.
    struct Chunk {
        const TailRows *rows = nullptr;
        Parameter *table = nullptr;
        std::int64_t begin = 0;
        std::int64_t count = 0;
        int microbatch = 0;
        [[nodiscard]] const std::int32_t *labels() const { return rows->words.data() + begin; }
        [[nodiscard]] std::int64_t place() const { return rows->place + begin * rows->tail.width; }
        [[nodiscard]] kernels::TableShard shard() const { return {table->held.rows.begin, table->rows, table->columns}; }
    };
    template <class Visit>
    void eachChunk(int microbatch, Tails tails, const Context &context, const Visit &visit) const;
    /// Computes logits, and returns where they are.
    [[nodiscard]] static backend::LogitShard logits(const Chunk &chunk, const Context &context);
    /// Computes rows [count, width] = E U.
    static void weigh(Values rows, const backend::LogitShard &exponentials, const Chunk &chunk, const Context &context);

    std::vector<Shard> m_tails;
    const Parameter &m_head;
    std::int64_t m_shards;
};

/// Returns the loss of the tails.
[[nodiscard]] double lossOfTails(const kernels::SoftmaxStatistics &all, std::span<const TailRows> tails,
                                 const Context &context);

} // namespace stagelens::runtime
