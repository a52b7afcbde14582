// What the stragglers of an imported job cost.
#pragma once

#include "engine/service/runs/straggler_job.h"

#include <QDialog>

#include <memory>

class QTreeWidget;
class QTreeWidgetItem;

namespace stagelens::ui {

/// A table of what-ifs: the step if a device, replica, worker or kind of operation were fixed, and the share that this
/// recovers. Ctrl+C copies it. GUI thread only.
class StragglerDialog : public QDialog {
    Q_OBJECT
public:
    StragglerDialog(const QString &file, std::shared_ptr<const service::StragglerAnalysis> analysis, QWidget *parent);

private:
    enum Column : int { PartColumn, StepColumn, RecoveredColumn, AloneColumn, kColumns };
    QTreeWidgetItem *addGroup(const QString &text);
    void addPart(QTreeWidgetItem *group, const QString &name, const simulate::StragglerPart &part);
    void fill();
    void copy() const;

    std::shared_ptr<const service::StragglerAnalysis> m_analysis;
    QTreeWidget *m_tree;
};

} // namespace stagelens::ui
