// The run browser: what was trained or imported, to be found, shown, compared, described, exported and deleted.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/state/run_table_model.h"

#include <QTimer>
#include <QWidget>

#include <set>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;
class QToolButton;

namespace stagelens::ui {

class RunsPanel : public QWidget {
    Q_OBJECT
public:
    explicit RunsPanel(QWidget *parent = nullptr);
    /// While the user types into a cell, keeps the rows and emits typingEnded() afterwards.
    void setRuns(const RunTable &table, const std::set<store::RunId> &hidden);
    /// Captions of the columns that a person chose, status and name apart.
    [[nodiscard]] QStringList columns() const;
    void setColumns(const QStringList &captions);
    [[nodiscard]] RunTableModel *model() { return m_model; }
    [[nodiscard]] QTableView *table() { return m_table; }
    /// The strip above the table: the dock uses it as its title bar.
    [[nodiscard]] QWidget *header() { return m_header; }
    /// Says how many runs there are and folds them; the window gives it a place that stays.
    [[nodiscard]] QToolButton *foldButton() { return m_fold; }
    [[nodiscard]] bool isFolded() const { return m_folded; }
    void setFolded(bool folded);
    /// As a person does, so that it stays until they do otherwise.
    void foldByHand(bool folded);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void showAsked(qint64 run);
    /// Two to six, from old to new.
    void compareAsked(const std::vector<qint64> &runs);
    void filterChanged(const QString &filter);
    void orderAsked(stagelens::store::RunOrder order, bool reversed);
    void importAsked();
    void plotAsked();
    /// `format`: "chrome-trace", "csv" or "json".
    void exportAsked(qint64 run, const QString &format);
    void deleteAsked(const std::vector<qint64> &runs);
    void renameAsked(qint64 run, const QString &name);
    void tagsAsked(qint64 run, const QStringList &tags);
    void noteAsked(qint64 run, const QString &note);
    /// Rows that were set meanwhile are not shown yet.
    void typingEnded();
    void foldedByHand();
    void foldedChanged(bool folded);
    void columnsChanged();
    /// The table came into sight and would like its sizeHint().
    void unfolded();

private:
    void makeHeader();
    void makeTable();
    void makeColumns();
    void makeRowActions();
    void sortBy(int column);
    /// Opens a cell for typing, in a column that may be hidden.
    void editCell(int column);
    [[nodiscard]] bool isTyping() const;
    void updateHeader();
    /// Gives the panel the height of the header, some rows and the scroll bar that would cover them.
    void keepRowsInSight();
    /// Of the table with so many rows, and with the horizontal scroll bar where it has one.
    [[nodiscard]] int heightOf(int rows) const;
    [[nodiscard]] const store::RunSummary *current() const;
    /// Returns the selected runs from old to new.
    [[nodiscard]] std::vector<qint64> selected() const;
    /// Returns the ticked runs, or those that are selected if none is ticked.
    [[nodiscard]] std::vector<qint64> compared() const;

    RunTableModel *m_model;
    QWidget *m_header;
    QToolButton *m_fold;
    QLineEdit *m_filter;
    QPushButton *m_import;
    QPushButton *m_plot;
    QPushButton *m_compare;
    QTableView *m_table;
    QLabel *m_empty;
    QTimer m_typing;
    int m_sorted = RunTableModel::When;
    bool m_reversed = false;
    bool m_folded = true;
    bool m_isRead = false;
    bool m_isWaiting = false; ///< rows for the end of typing
};

} // namespace stagelens::ui
