// What a person sees and can do while `--schedule auto` searches.
#pragma once

#include "app/cli/interrupt.h"
#include "engine/service/search/schedule_search.h"

#include <chrono>
#include <optional>

namespace stagelens::cli {

/// While one exists, Ctrl+C stops the search, and searches that last show on stderr how far they are.
class SearchWatch {
public:
    /// Does nothing for a plan that names its family.
    explicit SearchWatch(const model::Experiment &experiment);
    /// For what always searches.
    SearchWatch();
    ~SearchWatch();
    SearchWatch(const SearchWatch &) = delete;
    SearchWatch &operator=(const SearchWatch &) = delete;

    [[nodiscard]] service::SearchOptions options();

private:
    void show(const service::SearchProgress &progress);

    std::optional<InterruptScope> m_interrupt;
    std::chrono::steady_clock::time_point m_due; ///< of the next line
    bool m_isTerminal = false;
    bool m_isOpen = false; ///< the terminal shows a line that will be rewritten
};

} // namespace stagelens::cli
