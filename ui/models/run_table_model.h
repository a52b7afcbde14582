// The runs of the database as rows: their numbers are known, the rest is read as far as it is looked at.
#pragma once

#include "engine/service/engine_service.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace stagelens::ui {

/// Where the table reads what it shows.
struct RunSource {
    /// The rows of those runs, in that order, without those that are gone.
    std::function<std::vector<store::RunSummary>(std::span<const store::RunId>)> rows;
    /// In what a run differs from the baseline, in words.
    std::function<QString(store::RunId)> difference;
};

/// The first column bears a check box; two to six ticked rows can be compared.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Status,
        Name,
        When,
        Differs,
        Kind,
        TokensPerSecond,
        Bubble,
        PeakMemory,
        Iteration,
        Loss,
        Steps,
        Tags,
        Note,
        ColumnCount
    };
    /// Those from here on are shown when a person asks for them.
    static constexpr Column kFirstExtra = Iteration;

    using QAbstractTableModel::QAbstractTableModel;
    void setSource(RunSource source) { m_source = std::move(source); }
    /// Runs stay ticked, also those that a filter hides; runs in `hidden` are left out. What was read is read again.
    void setRuns(const store::RunList &runs, const std::set<store::RunId> &hidden);
    /// The baseline is another one: differences are made anew.
    void forgetDifferences();
    /// All runs that could be shown, whatever the filter says.
    [[nodiscard]] int total() const { return m_total; }
    /// Null where there is no such row. Valid until the next call.
    [[nodiscard]] const store::RunSummary *run(const QModelIndex &index) const;
    /// Ticked runs from old to new.
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
    void tagsAsked(qint64 run, const QStringList &tags);
    void noteAsked(qint64 run, const QString &note);

private:
    [[nodiscard]] QString text(const store::RunSummary &run, int column) const;
    [[nodiscard]] QString difference(const store::RunSummary &run) const;

    RunSource m_source;
    std::vector<store::RunId> m_runs;
    int m_total = 0;
    std::set<store::RunId> m_ticked;
    /// Rows that were looked at, by the number of their page.
    mutable std::map<std::size_t, std::map<store::RunId, store::RunSummary>> m_pages;
    mutable std::map<store::RunId, QString> m_differences;
};

} // namespace stagelens::ui
