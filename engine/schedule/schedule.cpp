#include "engine/schedule/schedule.h"

#include <array>
#include <cassert>
#include <utility>

namespace stagelens::schedule {

namespace {

constexpr std::array<std::string_view, 3> kUpdateNames{"end-of-step", "each-microbatch", "double-buffered"};

} // namespace

std::string_view name(WeightUpdate update)
{
    return kUpdateNames[static_cast<std::size_t>(update)];
}

std::optional<WeightUpdate> parseWeightUpdate(std::string_view text)
{
    const auto *const found = std::find(kUpdateNames.begin(), kUpdateNames.end(), text);
    if (found == kUpdateNames.end())
        return std::nullopt;
    return static_cast<WeightUpdate>(found - kUpdateNames.begin());
}

Schedule::Schedule(std::string family, Placement placement, int microbatches, model::VocabularyMethod vocabulary,
                   const std::vector<std::vector<Pass>> &passesOfDevice, WeightUpdate update, int slices)
    : m_family(std::move(family)), m_placement(std::move(placement)), m_microbatches(microbatches), m_slices(slices),
      m_vocabulary(vocabulary), m_weightUpdate(update)
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

bool Schedule::runs(PassKind kind) const
{
    return std::ranges::find(m_passes, kind, &Pass::kind) != m_passes.end();
}

Schedule Schedule::withCopies(std::vector<std::vector<Copy>> copiesOfDevice) const
{
    Schedule with = *this;
    with.m_copies = std::move(copiesOfDevice);
    if (std::ranges::all_of(with.m_copies, [](const std::vector<Copy> &copies) { return copies.empty(); }))
        with.m_copies.clear();
    return with;
}

std::vector<std::uint32_t> byJoin(std::span<const Copy> copies, CopyKind kind)
{
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < copies.size(); ++i)
        if (copies[i].kind == kind)
            places.push_back(i);
    std::ranges::stable_sort(places, {}, [copies](std::uint32_t i) { return copies[i].join; });
    return places;
}

int peakActivations(std::span<const Pass> passes)
{
    int held = 0;
    int most = 0;
    for (const Pass &pass : passes) {
        held += activationChange(pass.kind);
        most = std::max(most, held);
    }
    return most;
}

int weightVersions(const Schedule &schedule, int device)
{
    switch (schedule.weightUpdate()) {
    case WeightUpdate::EndOfStep: return 1;
    case WeightUpdate::DoubleBuffered: return 2;
    case WeightUpdate::EachMicrobatch: break;
    }
    return std::max(1, peakActivations(schedule, device) / schedule.placement().chunks());
}

} // namespace stagelens::schedule
