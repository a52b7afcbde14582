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

Schedule Schedule::asIterations(int iterations) const
{
    assert(iterations >= 1 && m_microbatches % iterations == 0);
    Schedule made = *this;
    made.m_iterations = iterations;
    return made;
}

Schedule Schedule::repeated(int iterations) const
{
    assert(m_iterations == 1);
    std::vector<std::vector<Pass>> orders;
    std::vector<std::vector<Copy>> copies(m_copies.size());
    for (int device = 0; device < devices(); ++device) {
        const std::span<const Pass> step = this->device(device);
        std::vector<Pass> &order = orders.emplace_back();
        order.reserve(step.size() * static_cast<std::size_t>(iterations));
        for (int i = 0; i < iterations; ++i) {
            const auto before = static_cast<std::uint32_t>(order.size());
            for (Pass pass : step) {
                pass.microbatch += i * m_microbatches;
                order.push_back(pass);
            }
            for (Copy copy : this->copies(device)) {
                copy.launch += before;
                copy.join += before;
                copy.microbatch += i * m_microbatches;
                copies[static_cast<std::size_t>(device)].push_back(copy);
            }
        }
    }
    Placement placement = m_placement;
    for (int i = 1; i < iterations; ++i)
        placement.microbatchDirection.insert(placement.microbatchDirection.end(), m_placement.microbatchDirection.begin(),
                                             m_placement.microbatchDirection.end());
    Schedule made(m_family, std::move(placement), m_microbatches * iterations, m_vocabulary, orders, m_weightUpdate, m_slices);
    made.m_copies = std::move(copies);
    return made.asIterations(iterations);
}

Schedule Schedule::firstStep() const
{
    const auto first = [this](const auto &all) {
        const auto count = static_cast<std::ptrdiff_t>(all.size()) / m_iterations;
        return std::vector(all.begin(), all.begin() + count);
    };
    std::vector<std::vector<Pass>> orders;
    std::vector<std::vector<Copy>> copies;
    for (int device = 0; device < devices(); ++device) {
        orders.push_back(first(this->device(device)));
        copies.push_back(first(this->copies(device)));
    }
    Placement placement = m_placement;
    placement.microbatchDirection = first(m_placement.microbatchDirection);
    const Schedule step(m_family, std::move(placement), stepMicrobatches(), m_vocabulary, orders, m_weightUpdate, m_slices);
    return hasCopies() ? step.withCopies(std::move(copies)) : step;
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
