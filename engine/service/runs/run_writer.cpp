#include "engine/service/runs/run_writer.h"

#include "engine/service/runs/stored_runs.h"

#include <fmt/format.h>
#include <thread>
#include <utility>

namespace stagelens::service {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Longest pause of training when the database is first found locked.
constexpr milliseconds kFirstWait{1000};
/// While changes wait: the shortest time between two tries, and how long each may take.
constexpr milliseconds kBetweenTries{250};
constexpr milliseconds kLaterWait{20};
/// Between two tries while the run waits for the database.
constexpr milliseconds kPause{50};
constexpr milliseconds kLastWait{30'000};

} // namespace

RunWriter::RunWriter(std::filesystem::path database, std::stop_token stop, std::size_t mostWaiting)
    : m_database(std::move(database)), m_stop(std::move(stop)), m_mostWaiting(mostWaiting)
{}

void RunWriter::begin(std::function<base::Result<store::RunId>(store::RunStore &)> insert)
{
    m_insert = std::move(insert);
    note(flush({store::Patience::kUsual, m_stop}));
}

void RunWriter::write(Change change)
{
    m_waiting.push_back(std::move(change));
    if (m_problem.empty())
        note(flush({kFirstWait, m_stop}));
    else if (Clock::now() - m_lastTry >= kBetweenTries)
        note(flush({kLaterWait, m_stop}));
}

void RunWriter::tryAgain()
{
    std::this_thread::sleep_for(kPause); // on a full disk a try takes no time
    note(flush({kLaterWait, m_stop}));
}

void RunWriter::writeIfUpToDate(const Change &change)
{
    if (m_problem.empty() && m_store)
        if (const auto done = make(change); !done)
            note(done);
}

void RunWriter::finish(store::RunStatus status, const std::string &reason)
{
    if (!m_insert)
        return;
    m_waiting.push_back([=](store::RunEditor &runs, store::RunId run) { return runs.finish(run, status, reason); });
    note(flush({kFirstWait, m_stop}));
}

void RunWriter::settle()
{
    if (m_problem.empty())
        return;
    note(flush({kLastWait, m_stop}));
    // A row whose end cannot be written either counts as interrupted when the database is opened next.
    if (m_problem.empty() || m_run == 0 || m_waiting.size() == 1)
        return;
    m_store->setPatience({kLaterWait, {}});
    (void)m_store->edit().finish(m_run, store::RunStatus::Failed, "its results were not stored: " + m_problem);
}

base::Result<> RunWriter::remove()
{
    return m_run > 0 ? m_store->remove(m_run) : base::Result<>();
}

std::string RunWriter::problem() const
{
    if (m_problem.empty() || !isFull())
        return m_problem;
    return m_problem +
           fmt::format("; training waits until then, because {} changes of the run are in memory, which is the most",
                       m_waiting.size());
}

base::Result<> RunWriter::make(const Change &change)
{
    store::RunEditor runs = m_store->edit();
    return change(runs, m_run);
}

base::Result<> RunWriter::prepare(const store::Patience &patience)
{
    if (const base::Result<> opened = openOnce(m_store, m_database, patience); !opened)
        return opened.error();
    if (m_run > 0)
        return {};
    const auto run = m_insert(*m_store);
    if (!run)
        return run.error();
    m_run = *run;
    return {};
}

base::Result<> RunWriter::flush(const store::Patience &patience)
{
    if (!m_insert)
        return {};
    if (auto ready = prepare(patience); !ready)
        return ready;
    for (; !m_waiting.empty(); m_waiting.pop_front())
        if (auto done = make(m_waiting.front()); !done)
            return done;
    return {};
}

void RunWriter::note(const base::Result<> &flushed)
{
    m_problem = flushed ? std::string() : flushed.error().text();
    m_lastTry = Clock::now();
}

} // namespace stagelens::service
