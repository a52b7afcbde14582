// Loss scaling (Micikevicius et al., arXiv 1710.03740, section 3.2).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <string>
#include <vector>

namespace stagelens::runtime {

/// What a checkpoint keeps of a scaler.
struct LossScale {
    double factor = 1;
    int cleanSteps = 0;       ///< since the factor changed
    std::vector<int> skipped; ///< steps, from 0, whose gradients overflowed
};

/// Chooses the factor of the loss in each step. A gradient that is infinite or NaN on any rank skips the step on all ranks. The
/// dynamic factor begins at 2^16, is halved after such a step, and doubled, up to 2^32, after kGrowthSteps steps without one.
class LossScaler {
public:
    static constexpr double kFirst = 65536;
    static constexpr int kGrowthSteps = 1000;

    explicit LossScaler(const model::Experiment &experiment);
    /// Returns whether the run scales its loss: in fp16.
    [[nodiscard]] bool isOn() const { return m_isOn; }
    [[nodiscard]] float factor() const { return static_cast<float>(m_state.factor); }
    /// Notes a step. Fails if gradients overflow although the dynamic factor is 1 already.
    [[nodiscard]] base::Result<> note(int step, bool overflowed);
    [[nodiscard]] const LossScale &state() const { return m_state; }
    /// Continues from a checkpoint; a fixed factor stays as it was chosen.
    void restore(LossScale state);
    /// Returns "dynamic, 32768 now; skipped 2 of 50 steps: 1, 4", with steps counted from 1.
    [[nodiscard]] std::string text(int steps) const;

private:
    bool m_isOn;
    bool m_isDynamic;
    LossScale m_state;
};

} // namespace stagelens::runtime
