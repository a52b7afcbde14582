// Finds circles of devices that wait for each other, by carrying a schedule out without time.
#pragma once

#include "engine/schedule/pass_index.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <vector>

namespace stagelens::schedule {

/// When a send to another device is over.
enum class Sends : unsigned char {
    Buffered, ///< at once: the message lies somewhere until it is wanted
    Blocking, ///< when the receiver comes to the pass that needs it; messages go one by one, right after the pass that makes
              ///< them
};

/// A device that cannot go on: its pass at `position` needs `needed`, which has not run on another device; or, with `isSend`,
/// its pass at `position` is done and its result is for `needed`, which the other device has not come to.
struct Wait {
    int device = 0;
    bool isSend = false;
    std::size_t position = 0;
    Pass needed;
    int neededDevice = 0;
    std::size_t neededPosition = 0;
};
/// Each wait's needed pass is on the device of the next wait; the last one's on the first's device. The
/// first is the circle's device with the lowest number.
using WaitCircle = std::vector<Wait>;

/// All circles; none if the schedule runs to its end. A needed pass that is missing is not waited for.
[[nodiscard]] std::vector<WaitCircle> findWaitCircles(const Schedule &schedule, const PassIndex &index,
                                                      Sends sends = Sends::Buffered);

} // namespace stagelens::schedule
