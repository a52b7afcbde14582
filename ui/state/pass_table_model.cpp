#include "ui/state/pass_table_model.h"
#include "ui/words/plain_text.h"

#include "ui/state/links.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::array kColumns{
    QT_TRANSLATE_NOOP("Words", "Lanes"), QT_TRANSLATE_NOOP("Words", "Device"),     QT_TRANSLATE_NOOP("Words", "Pass"),
    QT_TRANSLATE_NOOP("Words", "Stage"), QT_TRANSLATE_NOOP("Words", "Microbatch"), QT_TRANSLATE_NOOP("Words", "Begins"),
    QT_TRANSLATE_NOOP("Words", "Takes"), QT_TRANSLATE_NOOP("Words", "Vocabulary"), QT_TRANSLATE_NOOP("Words", "Why then")};
enum Column { Lanes, Device, PassName, Stage, Microbatch, Begins, Takes, Vocabulary, Why };
} // namespace

void PassTableModel::setContent(TimelineContent content)
{
    beginResetModel();
    m_content = std::move(content);
    m_blocks.clear();
    m_rows = 0;
    for (std::size_t group = 0; group < m_content.groups.size(); ++group) {
        const auto &timeline = m_content.groups[group].timeline;
        for (int device = 0; timeline && device < timeline->devices(); ++device) {
            m_blocks.push_back({static_cast<int>(group), device, m_rows});
            m_rows += static_cast<int>(timeline->lanes[static_cast<std::size_t>(device)].size());
        }
    }
    endResetModel();
}

int PassTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int PassTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(kColumns.size());
}

ViewState::Selection PassTableModel::selectionAt(int row) const
{
    const auto next = std::upper_bound(m_blocks.begin(), m_blocks.end(), row,
                                       [](int wanted, const Block &block) { return wanted < block.firstRow; });
    const Block &block = *std::prev(next);
    return {block.group, {block.device, static_cast<std::size_t>(row - block.firstRow)}};
}

int PassTableModel::rowOf(const ViewState::Selection &selection) const
{
    for (const Block &block : m_blocks)
        if (block.group == selection.group && block.device == selection.slice.device)
            return block.firstRow + static_cast<int>(selection.slice.index);
    return -1;
}

/// Of the cells of a column and of its header.
QVariant PassTableModel::alignmentOf(int column)
{
    const bool isText = column == Lanes || column == Device || column == PassName || column == Why;
    return QVariant::fromValue((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

QVariant PassTableModel::data(const QModelIndex &index, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(index.column());
    if (role == Qt::ToolTipRole) // the last column may be cut off
        return plainTip(data(index, Qt::DisplayRole).toString());
    if (role != Qt::DisplayRole || !index.isValid()) // Ctrl+C copies the current cell, also where there is none
        return {};
    const ViewState::Selection at = selectionAt(index.row());
    const LaneGroup &group = m_content.groups[static_cast<std::size_t>(at.group)];
    const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(at.slice.device)];
    const std::size_t i = at.slice.index;
    const schedule::Pass &pass = lane.pass[i];
    const bool units = m_content.teachingUnits;
    switch (index.column()) {
    case Lanes: return group.caption;
    case Device: return at.slice.device;
    case PassName: return passText(pass, group.timeline->slices);
    case Stage: return pass.stage;
    case Microbatch:
        if (const int slices = group.timeline->slices; slices > 1)
            return microbatchText(pass.microbatch, slices);
        return pass.microbatch;
    case Begins: return durationText(lane.begin[i], units);
    case Takes: return durationText(lane.end[i] - lane.begin[i], units);
    case Vocabulary:
        if (i >= lane.vocabulary.size())
            return Words::tr("not known");
        return lane.vocabulary[i] == 0 ? u"–"_s : durationText(lane.vocabulary[i], units);
    case Why: return waitText(group, at.slice, units);
    default: return {};
    }
}

QVariant PassTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal)
        return alignmentOf(section);
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
        return {};
    return Words::tr(kColumns[static_cast<std::size_t>(section)]);
}

} // namespace stagelens::ui
