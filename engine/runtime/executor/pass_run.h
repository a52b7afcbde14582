// A pass in progress on a device: the remaining steps of its recipe, and its tensors.
#pragma once

#include "engine/backend/transport.h"
#include "engine/passes/pass_recipe.h"
#include "engine/runtime/layers/context.h"
#include "engine/runtime/layers/stage.h"
#include "engine/simulate/costs/replica_costs.h"

#include <array>
#include <optional>
#include <utility>

namespace stagelens::runtime {

/// The steps that a pass has left, and its messages. Used by the thread of its device.
class PassRun {
public:
    PassRun() = default;
    /// `exchanging`: what passes exchange with the replicas of the device, or null if they do not.
    PassRun(const schedule::Pass &pass, const schedule::PassRecipe &recipe, bool isEvaluation = false,
            const simulate::UnitUse *exchanging = nullptr)
        : m_pass(pass), m_steps(isEvaluation && !recipe.evaluation.empty() ? recipe.evaluation : recipe.steps),
          m_gathers(!isEvaluation && exchanging != nullptr && exchanging->gathers(pass.kind)),
          m_reduces(!isEvaluation && exchanging != nullptr && exchanging->reduces(pass.kind))
    {}
    /// Sets exchange() to that of parameters among replicas, if the pass begins with it (ZeRO). Returns whether it did.
    [[nodiscard]] bool beginsGather() { return beginsExchange(m_gathers, TensorExchange::Kind::GatherParameters); }
    /// Likewise to that of gradients, if the pass ends with it. Call when isComputed().
    [[nodiscard]] bool beginsReduction() { return beginsExchange(m_reduces, TensorExchange::Kind::ReduceGradients); }
    /// Returns whether all steps up to a message are done. Then only the exchange of gradients may be left.
    [[nodiscard]] bool isComputed() const { return m_isComputed; }
    void noteComputed() { m_isComputed = true; }

    [[nodiscard]] const schedule::Pass &pass() const { return m_pass; }
    /// Returns the step to run next, or null at the end.
    [[nodiscard]] const schedule::PassStep *next() const { return m_steps.empty() ? nullptr : &m_steps.front(); }
    /// Returns the steps that are left.
    [[nodiscard]] std::span<const schedule::PassStep> steps() const { return m_steps; }
    /// Returns whether the pass has computed all that it can before it receives, sends or ends.
    [[nodiscard]] bool isAtMessage() const
    {
        return m_steps.empty() || isNext(schedule::PassStepKind::Receive) || isNext(schedule::PassStepKind::Send);
    }
    [[nodiscard]] bool isNext(schedule::PassStepKind kind) const { return !m_steps.empty() && m_steps.front().kind == kind; }
    /// Removes the step next().
    void advance() { m_steps = m_steps.subspan(1); }
    /// The layers that next() computes, if it has begun.
    [[nodiscard]] std::optional<StageRun> &layers() { return m_layers; }
    /// The exchange that the pass waits for, if any. The device runs it and resets it.
    [[nodiscard]] std::optional<TensorExchange> &exchange() { return m_exchange; }
    /// The tensor of a message; null unless it was received or made, and again when it was sent.
    [[nodiscard]] backend::Tensor &message(schedule::PassValue message) { return m_messages[schedule::messageIndex(message)]; }
    /// Drops the messages that no step is left to read or send.
    void dropUnused();

    /// Returns where the step writes a value: a planned buffer, or a message, which is allocated if there is none.
    [[nodiscard]] Values out(schedule::PassValue value, const Context &context);
    /// Returns a value that was written before.
    [[nodiscard]] Values in(schedule::PassValue value, const Context &context);
    [[nodiscard]] kernels::SoftmaxStatistics statistics(schedule::PassValue value, const Context &context) const
    {
        return {context.memory.at(value, simulate::kVocabularyStage, m_pass.microbatch), context.shape.statisticRows()};
    }

private:
    bool beginsExchange(bool &isLeft, TensorExchange::Kind kind)
    {
        if (!std::exchange(isLeft, false))
            return false;
        m_exchange = TensorExchange{kind, {}, {}};
        return true;
    }
    [[nodiscard]] Values kept(schedule::PassValue value, const Context &context) const;

    schedule::Pass m_pass;
    std::span<const schedule::PassStep> m_steps;
    std::array<backend::Tensor, schedule::kMessageKinds> m_messages;
    std::optional<StageRun> m_layers;
    std::optional<TensorExchange> m_exchange;
    bool m_isComputed = false;
    bool m_gathers = false; ///< still
    bool m_reduces = false;
};

} // namespace stagelens::runtime
