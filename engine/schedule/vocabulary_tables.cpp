#include "engine/schedule/vocabulary_tables.h"

#include "engine/passes/recipe_book.h"

namespace stagelens::schedule {

VocabularyTables::VocabularyTables(const Schedule &schedule)
    : m_areDivided(!recipeBook(schedule.vocabulary()).of({.kind = PassKind::EF}).isEmpty()),
      m_tokens(static_cast<std::size_t>(schedule.devices()), m_areDivided), m_output(m_tokens)
{
    const Placement &placement = schedule.placement();
    for (int direction = 0; !m_areDivided && direction < placement.directions; ++direction) {
        m_tokens[static_cast<std::size_t>(placement.deviceOf(0, direction))] = 1;
        m_output[static_cast<std::size_t>(placement.deviceOf(placement.lastStage(), direction))] = 1;
    }
}

} // namespace stagelens::schedule
