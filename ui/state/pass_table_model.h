// The passes of the picture as rows: the same slices, for those who would rather read or copy them.
#pragma once

#include "ui/state/timeline_content.h"
#include "ui/state/view_state.h"

#include <QAbstractTableModel>

namespace stagelens::ui {

/// Group after group, device after device, in the order of time.
class PassTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setContent(TimelineContent content);
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// The slice of a row, and the row of a slice; -1 for one that is not there.
    [[nodiscard]] ViewState::Selection selectionAt(int row) const;
    [[nodiscard]] int rowOf(const ViewState::Selection &selection) const;

private:
    [[nodiscard]] static QVariant alignmentOf(int column);
    struct Block {
        int group;
        int device;
        int firstRow;
    };
    TimelineContent m_content;
    std::vector<Block> m_blocks; ///< one a lane
    int m_rows = 0;
};

} // namespace stagelens::ui
