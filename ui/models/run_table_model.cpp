#include "ui/models/run_table_model.h"

#include "ui/bridge/words.h"

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
const QString kUnknown = u"–"_s;
}

void RunTableModel::setRuns(std::vector<store::RunSummary> runs, const std::set<store::RunId> &hidden)
{
    std::erase_if(runs, [&hidden](const store::RunSummary &run) { return hidden.contains(run.id); });
    std::sort(runs.begin(), runs.end(), [](const auto &a, const auto &b) { return a.id > b.id; });
    const bool sameRows = std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
                                     [](const auto &a, const auto &b) { return a.id == b.id; });
    if (sameRows) {
        // A running run's figures change often: selection and scroll position must survive.
        m_runs = std::move(runs);
        if (!m_runs.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_runs = std::move(runs);
    std::erase_if(m_ticked, [this](store::RunId id) {
        return std::none_of(m_runs.begin(), m_runs.end(), [id](const auto &run) { return run.id == id; });
    });
    endResetModel();
    emit tickedChanged();
}

const store::RunSummary *RunTableModel::run(const QModelIndex &index) const
{
    const auto row = static_cast<std::size_t>(index.row());
    return index.isValid() && row < m_runs.size() ? &m_runs[row] : nullptr;
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

QString RunTableModel::text(const store::RunSummary &run, int column) const
{
    switch (column) {
    case Status: {
        const QString steps = u" %1/%2"_s.arg(run.stepsDone).arg(run.stepsPlanned);
        return caption(run.status) + (run.status == store::RunStatus::Finished ? QString() : steps);
    }
    case Name: return runName(run);
    case When: return whenText(run.startedUnixMs);
    case Kind: return caption(run.kind);
    case TokensPerSecond: return run.tokensPerSecond ? countText(*run.tokensPerSecond) : kUnknown;
    case Bubble: return run.bubbleRatio ? shareText(*run.bubbleRatio) : kUnknown;
    case PeakMemory: return run.peakMemory ? bytesText(*run.peakMemory) : kUnknown;
    case Loss:
        return run.firstLoss && run.lastLoss
                   ? u"%1 → %2"_s.arg(QString::number(*run.firstLoss, 'f', 2), QString::number(*run.lastLoss, 'f', 2))
                   : kUnknown;
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
        return column >= TokensPerSecond ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                         : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == Kind)
            return caption(found->kind) + u": "_s + explanation(found->kind);
        if (column == Status && !found->reason.empty())
            return qtText(found->reason);
        return u"Run %1. Double-click shows it; tick two to compare them."_s.arg(found->id);
    default: return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section >= TokensPerSecond ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                          : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    static const QStringList names = {u"Status"_s,   u"Name"_s,   u"When"_s,        u"Kind"_s,
                                      u"Tokens/s"_s, u"Bubble"_s, u"Peak memory"_s, u"Loss"_s};
    return names.value(section);
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex &index) const
{
    Qt::ItemFlags all = QAbstractTableModel::flags(index);
    if (index.column() == Status)
        all |= Qt::ItemIsUserCheckable;
    if (index.column() == Name)
        all |= Qt::ItemIsEditable;
    return all;
}

bool RunTableModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const store::RunSummary *found = run(index);
    if (!found)
        return false;
    if (role == Qt::CheckStateRole && index.column() == Status) {
        setTicked(found->id, value.toInt() == Qt::Checked);
        return true;
    }
    const QString name = value.toString().trimmed();
    if (role == Qt::EditRole && index.column() == Name && !name.isEmpty() && name != runName(*found)) {
        emit renameAsked(found->id, name);
        return true;
    }
    return false;
}

} // namespace stagelens::ui
