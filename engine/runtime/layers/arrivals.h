// The rows that have arrived at the experts of a rank.
#pragma once

#include "kernels/include/experts.h"

#include <algorithm>
#include <cstdint>

namespace stagelens::runtime {

/// A view of the saved value "arrivals": the number n of rows, and the tables of kernels/include/experts.h with one choice a
/// row and room for the planned rows. Rows are sorted by (expert, rank, token), so that a row, its choice and its slot have the
/// same number; the table of rows has the rank that each came from instead. Slots from n on are -1, so kernels need not know n.
class Arrivals {
public:
    Arrivals(std::int32_t *numbers, std::int64_t planned) : m_numbers(numbers), m_planned(planned) {}
    [[nodiscard]] static std::int64_t numbersFor(std::int64_t planned) { return 1 + 3 * planned; }
    [[nodiscard]] std::int64_t rows() const { return m_numbers[0]; }
    [[nodiscard]] std::int64_t rowsFrom(int rank) const { return std::count(sources(), sources() + rows(), rank); }
    void setRows(std::int64_t rows) { m_numbers[0] = static_cast<std::int32_t>(rows); }
    [[nodiscard]] std::int32_t *routes() const { return m_numbers + 1; }
    [[nodiscard]] std::int32_t *experts() const { return routes(); } ///< numbered from the first of the rank
    [[nodiscard]] std::int32_t *sources() const { return routes() + m_planned; }
    [[nodiscard]] std::int32_t *slotTable() const { return routes() + 2 * m_planned; }

private:
    std::int32_t *m_numbers;
    std::int64_t m_planned;
};

} // namespace stagelens::runtime
