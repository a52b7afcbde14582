// Two runs on one axis, and a table of what differs.
#pragma once

#include "engine/service/engine_service.h"

#include <QWidget>

class QLabel;
class QTableWidget;

namespace stagelens::ui {

class MessageBar;
class TimelineView;
class ViewState;

class ComparePanel : public QWidget {
    Q_OBJECT
public:
    explicit ComparePanel(QWidget *parent = nullptr);
    /// A is the baseline of every difference.
    void setRuns(const service::RunSnapshotPtr &first, const service::RunSnapshotPtr &second);
    [[nodiscard]] bool isEmpty() const { return !m_first; }
    [[nodiscard]] TimelineView *timeline() { return m_timeline; }
    [[nodiscard]] QTableWidget *table() { return m_table; }

private:
    void fillTable();
    void addRow(const QString &what, const QString &first, const QString &second, const QString &verdict);
    /// Says what must not be compared without a thought: kinds of measurement, machines, tokens.
    void warn();

    service::RunSnapshotPtr m_first;
    service::RunSnapshotPtr m_second;
    ViewState *m_view;
    MessageBar *m_bar;
    QLabel *m_empty;
    TimelineView *m_timeline;
    QTableWidget *m_table;
};

} // namespace stagelens::ui
