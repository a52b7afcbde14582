#include "engine/runtime/executor/gang.h"

#include <algorithm>
#include <chrono>

namespace stagelens::runtime {
namespace {

template <class Work>
base::Result<> timed(base::Nanos &spent, const Work &work)
{
    const auto begin = std::chrono::steady_clock::now();
    base::Result<> done = work();
    spent += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
    return done;
}

base::Result<base::Nanos> exchange(std::span<Device *const> gang, std::span<PassRun *const> runs)
{
    std::vector<base::Nanos> spent(gang.size());
    const int rounds = Device::rounds(runs.front()->exchange()->kind);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t rank = 0; rank < gang.size(); ++rank) {
            Device &device = *gang[rank];
            device.transport().join(device.place().device); // so that waiting for an unsent message ends
            const auto done = timed(spent[rank], [&] { return device.exchange(*runs[rank], round); });
            device.transport().leave(device.place().device);
            if (!done)
                return done.error();
        }
    return *std::ranges::max_element(spent);
}

} // namespace

base::Result<base::Nanos> computeTogether(std::span<Device *const> gang, std::span<PassRun *const> runs)
{
    base::Nanos total = 0;
    while (true) {
        base::Nanos longest = 0;
        for (std::size_t rank = 0; rank < gang.size(); ++rank) {
            base::Nanos spent = 0;
            if (auto done = timed(spent, [&] { return gang[rank]->launch(*runs[rank]); }); !done)
                return done.error();
            longest = std::max(longest, spent);
        }
        total += longest;
        if (!runs.front()->exchange())
            return total;
        const auto exchanged = exchange(gang, runs);
        if (!exchanged)
            return exchanged;
        total += *exchanged;
    }
}

} // namespace stagelens::runtime
