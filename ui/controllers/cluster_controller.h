// "Copy and edit" of the hardware chip.
#pragma once

#include "engine/base/result.h"
#include "engine/model/hardware.h"

#include <QObject>

class QWidget;

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class WindowActions;

/// Opens the plan's hardware, or a copy of its preset, in a dialog; what is used there becomes part of the experiment.
class ClusterController : public QObject {
    Q_OBJECT
public:
    ClusterController(EngineBridge *bridge, ExperimentDocument *document, WindowActions *actions, QWidget *window);

    /// Reads the hardware off the GUI thread and opens the dialog.
    void edit();

signals:
    void failed(const QString &sentence);

private:
    void open(const base::Result<model::Hardware> &hardware, bool isPreset);
    void use(const model::Hardware &cluster);

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    QWidget *m_window;
};

} // namespace stagelens::ui
