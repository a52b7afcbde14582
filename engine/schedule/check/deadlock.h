// Finds cycles of devices that wait for each other, by executing a schedule without time.
#pragma once

#include "engine/schedule/devices_in_order.h"
#include "engine/schedule/pass_index.h"

#include <cstddef>
#include <vector>

namespace stagelens::schedule {

/// When a send to another device completes.
enum class Sends : unsigned char {
    Buffered, ///< immediately: the message is buffered until it is received
    Blocking, ///< when the receiver reaches the pass that needs it; messages are sent one by one, right after the pass that
              ///< makes them
};

/// A device that cannot continue: its pass at `position` needs `needed`, which has not run on another device. With `isSend`,
/// its pass at `position` has run, and the result is for `needed`, which the other device has not reached.
struct Wait {
    int device = 0;
    bool isSend = false;
    std::size_t position = 0;
    Pass needed;
    int neededDevice = 0;
    std::size_t neededPosition = 0;
};
/// The needed pass of each wait is on the device of the next wait, cyclically. The first wait is that of the lowest device.
using WaitCircle = std::vector<Wait>;

/// Returns the first pass for a result that its device has not yet run; if there is none, the first that is absent.
[[nodiscard]] PassIndex::Place ownerOf(std::size_t result, const DevicesInOrder &devices, const PassIndex &index);

/// Returns all cycles; none if the schedule runs to its end. Missing passes count as run.
[[nodiscard]] std::vector<WaitCircle> findWaitCircles(const Schedule &schedule, const PassIndex &index,
                                                      Sends sends = Sends::Buffered);

} // namespace stagelens::schedule
