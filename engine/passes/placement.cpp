#include "engine/passes/placement.h"

namespace stagelens::schedule {

std::vector<int> Placement::stagesOf(int device) const
{
    std::vector<int> found;
    for (int stage = 0; stage < stages(); ++stage)
        for (int direction = 0; direction < directions; ++direction)
            if (deviceOf(stage, direction) == device)
                found.push_back(stage);
    return found;
}

std::vector<int> Placement::firstStages() const
{
    std::vector<int> first(static_cast<std::size_t>(devices), -1);
    for (int stage = lastStage(); stage >= 0; --stage)
        for (int direction = 0; direction < directions; ++direction)
            first[static_cast<std::size_t>(deviceOf(stage, direction))] = stage;
    return first;
}

Placement Placement::looped(int devices, int chunks)
{
    Placement placement{.devices = devices, .stageDevice = {}, .directions = 1, .microbatchDirection = {}};
    placement.stageDevice.reserve(static_cast<std::size_t>(devices) * static_cast<std::size_t>(chunks));
    for (int stage = 0; stage < devices * chunks; ++stage)
        placement.stageDevice.push_back(static_cast<std::uint16_t>(stage % devices));
    return placement;
}

Placement Placement::zigzag(int devices, int chunks)
{
    Placement placement = looped(devices, chunks);
    for (int stage = 0; stage < devices * chunks; ++stage)
        if (stage / devices % 2 == 1)
            placement.stageDevice[static_cast<std::size_t>(stage)] = static_cast<std::uint16_t>(devices - 1 - stage % devices);
    return placement;
}

Placement Placement::twoWay(int devices, int microbatches)
{
    Placement placement = zigzag(devices, 2);
    placement.directions = 2;
    placement.microbatchDirection.resize(static_cast<std::size_t>(microbatches));
    for (std::size_t i = 1; i < placement.microbatchDirection.size(); i += 2)
        placement.microbatchDirection[i] = 1;
    return placement;
}

} // namespace stagelens::schedule
