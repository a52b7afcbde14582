#include "ui/controllers/cluster_controller.h"

#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "ui/controllers/window_actions.h"
#include "ui/panels/cluster_dialog.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <memory>
#include <variant>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ClusterController::ClusterController(EngineBridge *bridge, ExperimentDocument *document, WindowActions *actions,
                                     QWidget *window)
    : m_bridge(bridge), m_document(document), m_window(window)
{
    connect(actions->copyHardware, &QAction::triggered, this, &ClusterController::edit);
}

void ClusterController::edit()
{
    // A plan with given durations begins with this computer.
    const auto *choice = std::get_if<model::HardwarePreset>(&m_document->experiment().cost.source);
    const model::HardwarePreset from = choice != nullptr ? *choice : model::HardwarePreset();
    const auto read = [from](const std::stop_token &) { return model::hardwareOf(from); };
    m_bridge->compute(this, read, [this, isPreset = from.cluster == nullptr](const base::Result<model::Hardware> &hardware) {
        open(hardware, isPreset);
    });
}

void ClusterController::open(const base::Result<model::Hardware> &hardware, bool isPreset)
{
    if (!hardware) {
        emit failed(sentence(hardware.error()));
        return;
    }
    auto *dialog = new ClusterDialog(isPreset ? model::copyOf(*hardware) : *hardware, m_bridge, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { use(dialog->cluster()); });
    dialog->open();
}

void ClusterController::use(const model::Hardware &cluster)
{
    model::Experiment next = m_document->experiment();
    next.cost.source = model::HardwarePreset{cluster.name, std::make_shared<const model::Hardware>(cluster)};
    next.hasModel = true;
    m_document->closeGesture();
    m_document->edit(u"cost.hardware"_s, Words::tr("Cluster"), std::move(next));
    m_document->closeGesture();
}

} // namespace stagelens::ui
