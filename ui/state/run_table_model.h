// The runs of the database as rows: their numbers are known, the rest is read as far as it is looked at.
#pragma once

#include "ui/state/run_reader.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace stagelens::ui {

/// Who is asked for what the table shows; the answers come later.
struct RunSource {
    /// The rows of those runs, for takeRows().
    std::function<void(const std::vector<store::RunId> &)> askRows;
    /// In what a run differs from the baseline, for takeDifference().
    std::function<void(store::RunId)> askDifference;
};

/// The first column has a check box; two to six ticked rows can be compared.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Status,
        Number,
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
    /// Returns whether a column is shown at first; the others are when a person asks for them.
    [[nodiscard]] static bool isShownAtFirst(int column) { return column <= PeakMemory || column == Loss; }
    /// Returns what a column sorts by; none if its texts have no order.
    [[nodiscard]] static std::optional<store::RunOrder> orderOf(int column);

    using QAbstractTableModel::QAbstractTableModel;
    void setSource(RunSource source) { m_source = std::move(source); }
    /// Runs stay ticked, also those that a filter hides; runs in `hidden` are left out. Rows that were read before are shown
    /// until they have been read again.
    void setRuns(const RunTable &table, const std::set<store::RunId> &hidden);
    /// The rows of runs that were asked for, without those that are gone.
    void takeRows(const std::vector<store::RunId> &asked, std::vector<store::RunSummary> rows);
    void takeDifference(store::RunId run, const QString &words);
    /// The baseline is another one: differences are made anew.
    void forgetDifferences();
    /// All runs that could be shown, whatever the filter says.
    [[nodiscard]] int total() const { return m_total; }
    /// Returns null if there is no such row, or if it is not read yet; it is then requested. Valid until the next call.
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
    struct Row {
        store::RunSummary summary;
        bool isFresh = false; ///< else read before the runs were set last
    };
    [[nodiscard]] QString text(const store::RunSummary &run, int column) const;
    [[nodiscard]] QString difference(const store::RunSummary &run) const;
    void askPage(std::size_t page) const;
    void keep(store::RunSummary summary);

    RunSource m_source;
    std::vector<store::RunId> m_runs;
    int m_total = 0;
    std::set<store::RunId> m_ticked;
    std::map<store::RunId, Row> m_rows; ///< that were looked at
    mutable std::set<std::size_t> m_askedPages;
    /// Of rows that were looked at; nothing until the answer comes.
    mutable std::map<store::RunId, std::optional<QString>> m_differences;
};

} // namespace stagelens::ui
