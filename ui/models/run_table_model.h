// The runs of the database as rows.
#pragma once

#include "engine/service/engine_service.h"

#include <QAbstractTableModel>

#include <set>
#include <vector>

namespace stagelens::ui {

/// Newest first. The first column bears a check box; two ticked rows can be compared.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Status, Name, When, Kind, TokensPerSecond, Bubble, PeakMemory, Loss, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    /// Rows keep their ticks; runs in `hidden` are left out.
    void setRuns(std::vector<store::RunSummary> runs, const std::set<store::RunId> &hidden);
    [[nodiscard]] const store::RunSummary *run(const QModelIndex &index) const;
    /// Ticked runs in the order of the rows from old to new.
    [[nodiscard]] std::vector<store::RunId> ticked() const;
    void setTicked(store::RunId run, bool on);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

signals:
    void tickedChanged();
    void renameAsked(qint64 run, const QString &name);

private:
    [[nodiscard]] QString text(const store::RunSummary &run, int column) const;
    std::vector<store::RunSummary> m_runs;
    std::set<store::RunId> m_ticked;
};

} // namespace stagelens::ui
