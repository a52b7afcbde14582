// The run browser: what was trained, to be shown, compared, renamed and deleted.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/models/run_table_model.h"

#include <QWidget>

#include <set>
#include <vector>

class QLabel;
class QPushButton;
class QTableView;
class QToolButton;

namespace stagelens::ui {

class RunsPanel : public QWidget {
    Q_OBJECT
public:
    explicit RunsPanel(QWidget *parent = nullptr);
    void setRuns(std::vector<store::RunSummary> runs, const std::set<store::RunId> &hidden);
    [[nodiscard]] RunTableModel *model() { return m_model; }
    [[nodiscard]] QTableView *table() { return m_table; }
    /// The strip with the title: the dock uses it as its title bar.
    [[nodiscard]] QWidget *header() { return m_header; }
    [[nodiscard]] bool isFolded() const { return m_folded; }
    void setFolded(bool folded);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void showAsked(qint64 run);
    void compareAsked(qint64 first, qint64 second);
    void deleteAsked(qint64 run);
    void renameAsked(qint64 run, const QString &name);
    void foldedByHand(bool folded);
    /// The table came into sight and would like its sizeHint().
    void unfolded();

private:
    void makeHeader();
    void makeTable();
    void updateHeader();
    /// Of the table with so many rows.
    [[nodiscard]] int heightOf(int rows) const;
    [[nodiscard]] const store::RunSummary *current() const;

    RunTableModel *m_model;
    QWidget *m_header;
    QToolButton *m_fold;
    QPushButton *m_compare;
    QTableView *m_table;
    QLabel *m_empty;
    bool m_folded = true;
};

} // namespace stagelens::ui
