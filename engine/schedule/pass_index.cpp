#include "engine/schedule/pass_index.h"

#include <algorithm>

namespace stagelens::schedule {

namespace {

bool hasSplitBackward(const Schedule &schedule)
{
    for (int device = 0; device < schedule.devices(); ++device)
        for (const Pass &pass : schedule.device(device))
            if (pass.kind == PassKind::I || pass.kind == PassKind::W)
                return true;
    return false;
}

std::vector<PassKind> plannedKinds(const Schedule &schedule, bool splitsBackward)
{
    std::vector<PassKind> kinds = {PassKind::F};
    if (splitsBackward)
        kinds.insert(kinds.end(), {PassKind::I, PassKind::W});
    else
        kinds.push_back(PassKind::B);
    if (model::isSharded(schedule.vocabulary()))
        kinds.insert(kinds.end(), {PassKind::S, PassKind::T, PassKind::EF, PassKind::EB});
    if (schedule.vocabulary() == model::VocabularyMethod::Naive)
        kinds.push_back(PassKind::U);
    return kinds;
}

} // namespace

PassIndex::PassIndex(const Schedule &schedule)
    : m_placement(schedule.placement()), m_devices(schedule.devices()), m_stages(schedule.stages()),
      m_microbatches(schedule.microbatches()), m_splitsBackward(hasSplitBackward(schedule)),
      m_kinds(plannedKinds(schedule, m_splitsBackward)), m_firstStage(static_cast<std::size_t>(m_devices))
{
    std::size_t rows = 0;
    for (const PassKind kind : m_kinds) {
        m_isPlannedKind[static_cast<std::size_t>(kind)] = true;
        m_firstUnit[static_cast<std::size_t>(kind)] = rows;
        rows += static_cast<std::size_t>(units(kind));
    }
    m_numbers.assign(rows * static_cast<std::size_t>(m_microbatches), kAbsent);
    for (int stage = m_stages - 1; stage >= 0; --stage)
        m_firstStage[static_cast<std::size_t>(m_placement.deviceOf(stage))] = static_cast<std::uint16_t>(stage);
}

std::size_t PassIndex::plannedPasses(const Schedule &schedule)
{
    std::size_t rows = 0;
    for (const PassKind kind : plannedKinds(schedule, hasSplitBackward(schedule)))
        rows += static_cast<std::size_t>(isVocabularyPass(kind) ? schedule.devices() : schedule.stages());
    return rows * static_cast<std::size_t>(schedule.microbatches());
}

bool PassIndex::isPlanned(const Pass &pass) const
{
    return m_isPlannedKind[static_cast<std::size_t>(pass.kind)] && pass.microbatch >= 0 && pass.microbatch < m_microbatches &&
           pass.stage < m_stages;
}

PassIndex::Added PassIndex::add(const Pass &pass, int device, std::size_t number)
{
    if (!isPlanned(pass))
        return Added::NotInPlan;
    const bool isVocabulary = isVocabularyPass(pass.kind);
    const bool isHome = isVocabulary ? m_firstStage[static_cast<std::size_t>(device)] == pass.stage
                                     : m_placement.deviceOf(pass.stage) == device;
    if (!isHome)
        return Added::WrongDevice;
    std::uint32_t &found = m_numbers[cell(pass.kind, isVocabulary ? device : pass.stage, pass.microbatch)];
    if (found != kAbsent)
        return Added::Twice;
    found = static_cast<std::uint32_t>(number);
    return Added::Yes;
}

std::uint32_t PassIndex::at(const Pass &pass, int device) const
{
    if (!isPlanned(pass))
        return kAbsent;
    return at(pass.kind, isVocabularyPass(pass.kind) ? device : pass.stage, pass.microbatch);
}

} // namespace stagelens::schedule
