#include "ui/state/run_table_model.h"
#include "ui/words/plain_text.h"

#include "ui/words/engine_messages.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// Rows that are kept: some screens to and fro.
constexpr std::size_t kMostRows = 32 * kRowsOfPage;
constexpr std::size_t kMostDifferences = 10'000;

bool isFigure(int column)
{
    return column == RunTableModel::Number || (column >= RunTableModel::TokensPerSecond && column <= RunTableModel::Steps);
}

QString tagText(const store::RunSummary &run)
{
    QStringList tags;
    for (const std::string &tag : run.tags)
        tags << qtText(tag);
    return tags.join(u", "_s);
}

} // namespace

std::optional<store::RunOrder> RunTableModel::orderOf(int column)
{
    using store::RunOrder;
    switch (column) {
    case Status: return RunOrder::Status;
    case Number:
    case When: return RunOrder::Newest; // numbers are given in the order of time
    case Name: return RunOrder::Name;
    case Kind: return RunOrder::Kind;
    case TokensPerSecond: return RunOrder::TokensPerSecond;
    case Bubble: return RunOrder::Bubble;
    case PeakMemory: return RunOrder::PeakMemory;
    case Iteration: return RunOrder::Iteration;
    case Loss: return RunOrder::Loss;
    case Steps: return RunOrder::Steps;
    case Tags: return RunOrder::Tags;
    case Note: return RunOrder::Note;
    default: return {};
    }
}

void RunTableModel::setRuns(const RunTable &table, const std::set<store::RunId> &hidden)
{
    std::vector<store::RunId> shown = table.list.ids;
    if (!hidden.empty())
        std::erase_if(shown, [&hidden](store::RunId id) { return hidden.contains(id); });
    m_total = static_cast<int>(table.list.total - std::min(table.list.total, hidden.size()));
    m_askedPages.clear();
    std::erase_if(m_differences, [](const auto &entry) { return !entry.second; });
    if (m_rows.size() > kMostRows)
        m_rows.clear();
    for (auto &row : m_rows)
        row.second.isFresh = false;
    for (const store::RunSummary &row : table.firstRows)
        keep(row);
    if (shown == m_runs) {
        // A running run's figures change often: selection and scroll position must survive.
        if (!m_runs.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_runs = std::move(shown);
    endResetModel();
    if (std::erase_if(m_ticked, [&hidden](store::RunId id) { return hidden.contains(id); }) > 0)
        emit tickedChanged();
}

void RunTableModel::keep(store::RunSummary summary)
{
    const store::RunId run = summary.id;
    m_rows.insert_or_assign(run, Row{std::move(summary), true});
}

void RunTableModel::takeRows(const std::vector<store::RunId> &asked, std::vector<store::RunSummary> rows)
{
    if (m_rows.size() + rows.size() > kMostRows) {
        m_rows.clear();
        m_askedPages.clear();
    }
    for (const store::RunId run : asked) // some may be gone
        m_rows.erase(run);
    for (store::RunSummary &row : rows)
        keep(std::move(row));
    if (!m_runs.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void RunTableModel::takeDifference(store::RunId run, const QString &words)
{
    m_differences[run] = words;
    if (const auto row = std::ranges::find(m_runs, run) - m_runs.begin(); row < rowCount())
        emit dataChanged(index(static_cast<int>(row), Differs), index(static_cast<int>(row), Differs));
}

void RunTableModel::forgetDifferences()
{
    m_differences.clear();
    if (!m_runs.empty())
        emit dataChanged(index(0, Differs), index(rowCount() - 1, Differs));
}

const store::RunSummary *RunTableModel::run(const QModelIndex &index) const
{
    const auto row = static_cast<std::size_t>(index.row());
    if (!index.isValid() || row >= m_runs.size())
        return nullptr;
    const auto found = m_rows.find(m_runs[row]);
    if (found == m_rows.end() || !found->second.isFresh)
        askPage(row / kRowsOfPage);
    return found == m_rows.end() ? nullptr : &found->second.summary;
}

void RunTableModel::askPage(std::size_t page) const
{
    if (!m_source.askRows || !m_askedPages.insert(page).second)
        return;
    const auto ids = std::span(m_runs).subspan(page * kRowsOfPage);
    const auto asked = ids.first(std::min(kRowsOfPage, ids.size()));
    m_source.askRows({asked.begin(), asked.end()});
}

std::vector<store::RunId> RunTableModel::ticked() const
{
    return {m_ticked.begin(), m_ticked.end()};
}

void RunTableModel::setTicked(store::RunId run, bool on)
{
    if (on ? !m_ticked.insert(run).second : m_ticked.erase(run) == 0)
        return;
    if (!m_runs.empty())
        emit dataChanged(index(0, Status), index(rowCount() - 1, Status), {Qt::CheckStateRole});
    emit tickedChanged();
}

int RunTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunTableModel::difference(const store::RunSummary &run) const
{
    if (const auto known = m_differences.find(run.id); known != m_differences.end())
        return known->second.value_or(QString());
    if (!m_source.askDifference)
        return {};
    if (m_differences.size() >= kMostDifferences)
        m_differences.clear();
    m_differences.emplace(run.id, std::nullopt);
    m_source.askDifference(run.id);
    return {};
}

QString RunTableModel::text(const store::RunSummary &run, int column) const
{
    switch (column) {
    case Status: {
        const QString steps = u" %1/%2"_s.arg(run.stepsDone).arg(run.stepsPlanned);
        return caption(run.status) + (run.status == store::RunStatus::Finished ? QString() : steps);
    }
    case Number: return QString::number(run.id);
    case Name: return runName(run);
    case When: return whenText(run.startedUnixMs);
    case Differs: return difference(run);
    case Kind: return caption(run.kind);
    case TokensPerSecond: return run.tokensPerSecond ? rateText(*run.tokensPerSecond) : kUnknown;
    case Bubble: return run.bubbleRatio ? shareText(*run.bubbleRatio) : kUnknown;
    case PeakMemory: return run.peakMemory ? bytesText(*run.peakMemory) : kUnknown;
    case Iteration: return run.iteration ? durationText(*run.iteration) : kUnknown;
    case Loss:
        return run.firstLoss && run.lastLoss
                   ? u"%1 → %2"_s.arg(QString::number(*run.firstLoss, 'f', 2), QString::number(*run.lastLoss, 'f', 2))
                   : kUnknown;
    case Steps: return u"%1/%2"_s.arg(run.stepsDone).arg(run.stepsPlanned);
    case Tags: return tagText(run);
    case Note: return qtText(run.note);
    default: return {};
    }
}

QVariant RunTableModel::data(const QModelIndex &index, int role) const
{
    const store::RunSummary *found = run(index);
    if (!found)
        return {};
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole: return text(*found, column);
    case Qt::CheckStateRole:
        if (column == Status)
            return m_ticked.contains(found->id) ? Qt::Checked : Qt::Unchecked;
        return {};
    case Qt::TextAlignmentRole:
        return isFigure(column) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == Kind)
            return caption(found->kind) + u": "_s + explanation(found->kind);
        if (column == Status && !found->reason.empty())
            return plainTip(engineMessage(found->reason));
        if (column == Differs || column == Tags || column == Note)
            return plainTip(text(*found, column));
        return Words::tr("Run %1. Double-click shows it with its plan; tick up to six to compare them.").arg(found->id);
    default: return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return isFigure(section) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return orderOf(section) ? Words::tr("Click sorts the runs; right click chooses columns")
                                : Words::tr("Right click chooses columns");
    if (role != Qt::DisplayRole)
        return {};
    static const QStringList names = {Words::tr("Status"),
                                      Words::tr("Run"),
                                      Words::tr("Name"),
                                      Words::tr("When"),
                                      Words::tr("Differs from baseline"),
                                      Words::tr("Kind"),
                                      Words::tr("Tokens/s"),
                                      Words::tr("Bubble"),
                                      Words::tr("Peak memory"),
                                      Words::tr("Iteration"),
                                      Words::tr("Loss"),
                                      Words::tr("Steps"),
                                      Words::tr("Tags"),
                                      Words::tr("Note")};
    return names.value(section);
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex &index) const
{
    Qt::ItemFlags all = QAbstractTableModel::flags(index);
    if (index.column() == Status)
        all |= Qt::ItemIsUserCheckable;
    if (index.column() == Name || index.column() == Tags || index.column() == Note)
        all |= Qt::ItemIsEditable;
    return all;
}

bool RunTableModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const store::RunSummary *found = run(index);
    if (!found)
        return false;
    const qint64 id = found->id;
    if (role == Qt::CheckStateRole && index.column() == Status) {
        setTicked(id, value.toInt() == Qt::Checked);
        return true;
    }
    const QString typed = value.toString().trimmed();
    if (role != Qt::EditRole || typed == text(*found, index.column()))
        return false;
    switch (index.column()) {
    case Name:
        if (typed.isEmpty())
            return false;
        emit renameAsked(id, typed);
        return true;
    case Tags: {
        QStringList tags;
        for (const QString &tag : typed.split(u',', Qt::SkipEmptyParts))
            tags << tag.trimmed();
        emit tagsAsked(id, tags);
        return true;
    }
    case Note: emit noteAsked(id, typed); return true;
    default: return false;
    }
}

} // namespace stagelens::ui
