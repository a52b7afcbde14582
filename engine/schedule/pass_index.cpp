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

std::vector<PassKind> plannedKinds(const Schedule &schedule)
{
    std::vector<PassKind> kinds = {PassKind::F, PassKind::B};
    if (hasSplitBackward(schedule))
        kinds.push_back(PassKind::W);
    const std::vector<PassKind> vocabulary = vocabularyPasses(schedule.vocabulary());
    kinds.insert(kinds.end(), vocabulary.begin(), vocabulary.end());
    return kinds;
}

} // namespace

PassIndex::PassIndex(const Schedule &schedule)
    : m_schedule(schedule), m_devices(schedule.devices()), m_stages(schedule.stages()), m_microbatches(schedule.microbatches()),
      m_kinds(plannedKinds(schedule)), m_firstStage(schedule.placement().firstStages())
{
    std::size_t rows = 0;
    for (const PassKind kind : m_kinds) {
        m_isPlannedKind[static_cast<std::size_t>(kind)] = true;
        m_firstUnit[static_cast<std::size_t>(kind)] = rows;
        rows += static_cast<std::size_t>(units(kind));
    }
    m_isPlannedKind[static_cast<std::size_t>(PassKind::I)] = m_isPlannedKind[static_cast<std::size_t>(PassKind::W)];
    m_firstUnit[static_cast<std::size_t>(PassKind::I)] = m_firstUnit[static_cast<std::size_t>(PassKind::B)];
    m_numbers.assign(rows * static_cast<std::size_t>(m_microbatches), kAbsent);
}

std::size_t PassIndex::plannedPasses(const Schedule &schedule)
{
    std::size_t rows = 0;
    for (const PassKind kind : plannedKinds(schedule))
        rows += static_cast<std::size_t>(isVocabularyPass(kind) ? schedule.devices() : schedule.stages());
    return rows * static_cast<std::size_t>(schedule.microbatches());
}

PassIndex::Added PassIndex::add(const Pass &pass, int device, std::size_t number)
{
    if (!isPlanned(pass))
        return Added::NotInPlan;
    const bool isVocabulary = isVocabularyPass(pass.kind);
    const bool isHome = isVocabulary ? m_firstStage[static_cast<std::size_t>(device)] == pass.stage
                                     : m_schedule.placement().deviceOf(pass) == device;
    if (!isHome)
        return Added::WrongDevice;
    std::uint32_t &found = m_numbers[cell(pass.kind, isVocabulary ? device : pass.stage, pass.microbatch)];
    if (found != kAbsent)
        return Added::Twice;
    found = static_cast<std::uint32_t>(number);
    ++m_added;
    return Added::Yes;
}

PassIndex indexOf(const Schedule &schedule)
{
    PassIndex index(schedule);
    for (int device = 0; device < schedule.devices(); ++device)
        for (std::size_t i = 0; i < schedule.device(device).size(); ++i)
            index.add(schedule.device(device)[i], device, schedule.firstIndex(device) + i);
    return index;
}

} // namespace stagelens::schedule
