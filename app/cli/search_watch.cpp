#include "app/cli/search_watch.h"

#include "app/cli/table.h"
#include "engine/model/family_shape.h"

#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

namespace stagelens::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience{500};

} // namespace

SearchWatch::SearchWatch(const model::Experiment &experiment) : SearchWatch()
{
    if (experiment.schedule.family != model::kAutomaticFamily)
        m_interrupt.reset();
}

SearchWatch::SearchWatch() : m_due(Clock::now() + kPatience), m_isTerminal(isatty(STDERR_FILENO) == 1)
{
    m_interrupt.emplace();
}

SearchWatch::~SearchWatch()
{
    if (m_isOpen)
        std::cerr << '\n';
}

service::SearchOptions SearchWatch::options()
{
    if (!m_interrupt)
        return {};
    return {m_interrupt->token(), [this](const service::SearchProgress &progress) { show(progress); }};
}

void SearchWatch::show(const service::SearchProgress &progress)
{
    if (Clock::now() < m_due)
        return;
    m_due = Clock::now() + (m_isTerminal ? kPatience / 5 : 2 * kPatience);
    std::cerr << (m_isTerminal ? "\r\x1b[K" : "")
              << fmt::format("searching: {}/{} plans{}", progress.done, progress.total,
                             progress.shortest ? ", fastest " + timeText(*progress.shortest) : "")
              << (m_isTerminal ? "" : "\n") << std::flush;
    m_isOpen = m_isTerminal;
}

} // namespace stagelens::cli
