#include "ui/timeline/held_activations.h"

#include <algorithm>

namespace stagelens::ui {

std::vector<schedule::Pass> heldAt(const timeline::Lane &lane, base::Nanos time)
{
    std::vector<schedule::Pass> held;
    for (std::size_t i = 0; i < lane.size() && lane.begin[i] <= time; ++i) {
        const schedule::Pass &pass = lane.pass[i];
        const int change = schedule::activationChange(pass.kind);
        if (change > 0) {
            held.push_back(pass);
        } else if (change < 0 && lane.end[i] <= time) {
            const auto freed = std::ranges::find_if(held, [&pass](const schedule::Pass &forward) {
                return forward.stage == pass.stage && forward.microbatch == pass.microbatch;
            });
            if (freed != held.end())
                held.erase(freed);
        }
    }
    return held;
}

int mostHeld(const timeline::Timeline &timeline)
{
    int most = 0;
    for (const timeline::Lane &lane : timeline.lanes) {
        // A backward frees its activation at its end: before the next pass of the device begins.
        int held = 0;
        for (const schedule::Pass &pass : lane.pass) {
            held += schedule::activationChange(pass.kind);
            most = std::max(most, held);
        }
    }
    return most;
}

} // namespace stagelens::ui
