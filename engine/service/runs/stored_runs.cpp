#include "engine/service/runs/stored_runs.h"

#include "engine/base/text.h"
#include "engine/store/removal.h"

#include <fmt/format.h>
#include <utility>

namespace stagelens::service {

using base::Result;

Result<> openOnce(std::optional<store::RunStore> &store, const std::filesystem::path &file, const store::Patience &patience)
{
    if (!store) {
        auto opened = store::RunStore::open(file, patience);
        if (!opened)
            return std::move(opened).error();
        store.emplace(*std::move(opened));
    }
    store->setPatience(patience);
    return {};
}

StoredRuns::StoredRuns(std::filesystem::path database)
    : m_file(database.empty() ? store::RunStore::defaultFile() : std::move(database))
{}

template <class Use>
auto StoredRuns::with(Use use) -> decltype(use(std::declval<store::RunStore &>()))
{
    const std::scoped_lock lock(m_mutex);
    if (const Result<> opened = openOnce(m_store, m_file, m_patience); !opened)
        return opened.error();
    return use(*m_store);
}

void StoredRuns::setPatience(const store::Patience &patience)
{
    const std::scoped_lock lock(m_mutex);
    m_patience = patience;
}

Result<std::vector<store::RunSummary>> StoredRuns::list()
{
    return with([](store::RunStore &store) { return store.read().list(); });
}

Result<store::RunList> StoredRuns::find(const store::RunQuery &query)
{
    return with([&](store::RunStore &store) { return store.read().find(query); });
}

Result<std::vector<store::RunSummary>> StoredRuns::summaries(std::span<const store::RunId> runs)
{
    return with([runs](store::RunStore &store) { return store.read().summaries(runs); });
}

Result<model::Experiment> StoredRuns::experiment(store::RunId run)
{
    return with([run](store::RunStore &store) { return store.read().experiment(run); });
}

Result<store::RunRecord> StoredRuns::load(store::RunId run, std::optional<int> step)
{
    return with([run, step](store::RunStore &store) { return store.read().load(run, step); });
}

Result<store::RunId> StoredRuns::numberOf(const std::string &run)
{
    const auto all = list();
    if (!all)
        return all.error();
    const auto number = base::parseInteger(run);
    std::vector<std::string> found;
    for (const store::RunSummary &each : *all) {
        if (number == each.id)
            return each.id;
        if (!each.name.empty() && each.name == run)
            found.push_back(std::to_string(each.id));
    }
    if (found.size() == 1)
        return *base::parseInteger(found.front());
    return base::Error::invalid(m_file.string(),
                                found.empty()
                                    ? fmt::format("has no run {}; `stagelens-cli runs list` shows those there are", run)
                                    : fmt::format("has several runs named {}; say which: {}", run, base::join(found, " or ")));
}

Result<> StoredRuns::rename(store::RunId run, const std::string &name)
{
    return with([&](store::RunStore &store) { return store.edit().rename(run, name); });
}

Result<> StoredRuns::setTags(store::RunId run, const std::vector<std::string> &tags)
{
    return with([&](store::RunStore &store) { return store.edit().setTags(run, tags); });
}

Result<> StoredRuns::setNote(store::RunId run, const std::string &note)
{
    return with([&](store::RunStore &store) { return store.edit().setNote(run, note); });
}

Result<> StoredRuns::remove(store::RunId run)
{
    auto removed = with([run](store::RunStore &store) { return store.remove(run); });
    if (removed || removed.error().kind == base::ErrorKind::InvalidInput)
        return removed;
    // A full disk has no room for what a transaction writes beside the database.
    const std::scoped_lock lock(m_mutex);
    m_store.reset();
    return store::removeInPlace(m_file, run) ? Result<>() : removed;
}

Result<store::CheckReport> StoredRuns::check()
{
    return with([](store::RunStore &store) { return store.check(); });
}

} // namespace stagelens::service
