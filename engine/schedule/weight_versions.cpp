#include "engine/schedule/weight_versions.h"

#include <algorithm>

namespace stagelens::schedule {

std::vector<std::vector<std::int32_t>> weightVersionsUsed(const Schedule &schedule)
{
    if (schedule.isSynchronous())
        return {};
    const auto stages = static_cast<std::size_t>(schedule.stages());
    std::vector versions(stages, std::vector<std::int32_t>(static_cast<std::size_t>(schedule.microbatches())));
    if (schedule.weightUpdate() == WeightUpdate::DoubleBuffered) {
        for (std::vector<std::int32_t> &ofStage : versions)
            for (std::size_t microbatch = 0; microbatch < ofStage.size(); ++microbatch)
                ofStage[microbatch] = std::max(0, static_cast<int>(microbatch) / schedule.stepMicrobatches() - 1);
        return versions;
    }
    std::vector<std::int32_t> updates(stages);
    for (int device = 0; device < schedule.devices(); ++device) {
        for (const Pass &pass : schedule.device(device)) {
            if (pass.kind == PassKind::F)
                versions[pass.stage][static_cast<std::size_t>(pass.microbatch)] = updates[pass.stage];
            else if (endsBackward(pass.kind))
                ++updates[pass.stage];
        }
    }
    return versions;
}

} // namespace stagelens::schedule
