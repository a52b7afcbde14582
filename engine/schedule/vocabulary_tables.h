// The devices that hold rows of the token table and of the output projection.
#pragma once

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// The token table is whole on the device of the first stage and the output projection on that of the last (of each direction),
/// or both are divided over all devices, where vocabulary passes use their rows.
class VocabularyTables {
public:
    explicit VocabularyTables(const Schedule &schedule);

    /// Returns whether separate passes look up the embeddings. Rows then belong to devices rather than to a stage, even if
    /// there is only one device.
    [[nodiscard]] bool areDivided() const { return m_areDivided; }
    /// Returns how many devices divide the rows of a table.
    [[nodiscard]] int parts() const { return m_areDivided ? static_cast<int>(m_tokens.size()) : 1; }
    [[nodiscard]] bool holdsTokens(int device) const { return m_tokens[static_cast<std::size_t>(device)] != 0; }
    [[nodiscard]] bool holdsOutput(int device) const { return m_output[static_cast<std::size_t>(device)] != 0; }

private:
    bool m_areDivided;
    std::vector<std::uint8_t> m_tokens; ///< of each device: whether it holds rows
    std::vector<std::uint8_t> m_output;
};

} // namespace stagelens::schedule
