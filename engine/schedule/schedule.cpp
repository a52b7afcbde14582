#include "engine/schedule/schedule.h"

#include <cassert>
#include <numeric>
#include <utility>

namespace stagelens::schedule {

std::vector<int> Placement::stagesOf(int device) const
{
    std::vector<int> found;
    for (int stage = 0; stage < stages(); ++stage)
        if (deviceOf(stage) == device)
            found.push_back(stage);
    return found;
}

Placement Placement::linear(int devices)
{
    Placement placement{devices, std::vector<std::uint16_t>(static_cast<std::size_t>(devices))};
    std::iota(placement.stageDevice.begin(), placement.stageDevice.end(), std::uint16_t{0});
    return placement;
}

Schedule::Schedule(std::string family, Placement placement, int microbatches, model::VocabularyMethod vocabulary,
                   const std::vector<std::vector<Pass>> &passesOfDevice)
    : m_family(std::move(family)), m_placement(std::move(placement)), m_microbatches(microbatches), m_vocabulary(vocabulary)
{
    assert(static_cast<int>(passesOfDevice.size()) == m_placement.devices);
    m_begin.assign(1, 0);
    m_begin.reserve(passesOfDevice.size() + 1);
    for (const std::vector<Pass> &passes : passesOfDevice)
        m_begin.push_back(m_begin.back() + passes.size());
    m_passes.reserve(m_begin.back());
    for (const std::vector<Pass> &passes : passesOfDevice)
        m_passes.insert(m_passes.end(), passes.begin(), passes.end());
}

std::span<const Pass> Schedule::device(int device) const
{
    const std::size_t begin = firstIndex(device);
    return std::span(m_passes).subspan(begin, m_begin[static_cast<std::size_t>(device) + 1] - begin);
}

} // namespace stagelens::schedule
