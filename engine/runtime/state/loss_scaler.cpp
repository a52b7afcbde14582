#include "engine/runtime/state/loss_scaler.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagelens::runtime {

LossScaler::LossScaler(const model::Experiment &experiment)
    : m_isOn(experiment.model.dtype == model::DataType::Fp16), m_isDynamic(!experiment.training.lossScale.fixed)
{
    if (m_isOn)
        m_state.factor = experiment.training.lossScale.fixed.value_or(kFirst);
}

base::Result<> LossScaler::note(int step, bool overflowed)
{
    if (!overflowed) {
        if (++m_state.cleanSteps >= kGrowthSteps && m_isDynamic && m_state.factor < model::kLargestLossScale) {
            m_state.factor *= 2;
            m_state.cleanSteps = 0;
        }
        return {};
    }
    m_state.cleanSteps = 0;
    m_state.skipped.push_back(step);
    if (!m_isDynamic)
        return {};
    if (m_state.factor <= 1)
        return base::Error::failed(fmt::format("gradients overflow fp16 in step {} although the loss scale is 1: training "
                                               "diverged; lower the learning rate, or choose bf16",
                                               step + 1),
                                   "training.loss_scale");
    m_state.factor /= 2;
    return {};
}

void LossScaler::restore(LossScale state)
{
    const double own = m_state.factor;
    m_state = std::move(state);
    if (!m_isDynamic)
        m_state.factor = own;
}

std::string LossScaler::text(int steps) const
{
    constexpr std::size_t kShown = 10;
    std::string all = m_isDynamic ? fmt::format("dynamic, {:.0f} now", m_state.factor) : fmt::format("{:.0f}", m_state.factor);
    const std::vector<int> &skipped = m_state.skipped;
    all += fmt::format("; skipped {} of {} steps", skipped.size(), steps);
    for (std::size_t i = 0; i < std::min(kShown, skipped.size()); ++i)
        all += fmt::format("{}{}", i == 0 ? ": " : ", ", skipped[i] + 1);
    return all + (skipped.size() > kShown ? ", ..." : "");
}

} // namespace stagelens::runtime
