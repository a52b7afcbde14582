// Changes to the plan that are one click: a method, a family, a fix, the plan of a run, a scaled copy.
#pragma once

#include "engine/model/experiment.h"

#include "ui/state/latest_job.h"

#include <QObject>

namespace stagelens::ui {

struct Alternative;
class EngineBridge;
class ExperimentDocument;
class Forecast;
class RunController;

/// Makes each change one step of undo.
class PlanController : public QObject {
    Q_OBJECT
public:
    PlanController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, RunController *runController,
                   QWidget *window);

    void chooseMethod(model::VocabularyMethod method);
    /// Keeps a cut of the layers made by hand if the family is the plan's.
    void chooseFamily(const QString &family);
    /// Chooses schedule and method of an alternative that a verdict names, as one step of undo.
    void chooseAlternative(const Alternative &alternative);
    /// Chooses the family of a page of Learn, with the cut of the layers that follows from it.
    void tryFamily(const QString &family);
    /// Makes the plan of a lever the experiment.
    void applyLever(const QString &words, const model::Experiment &plan);
    void applyFix();
    void open(const QString &words, const model::Experiment &plan);
    /// Makes the plan of the shown run the experiment.
    void showPlanOfRun();
    /// Predicts with the measured durations of the shown run.
    void useCostsOfRun();
    /// Proposes a copy of the plan that is small enough for this computer.
    void offerScaledCopy();

signals:
    void failed(const QString &sentence);

private:
    void edit(const QString &field, const QString &label, model::Experiment next);
    void showCopy(const model::Experiment &original, const model::Experiment &copy);
    /// Makes a resolved plan the experiment, as free to be edited as it was before it was resolved.
    void takeOver(const QString &label, const model::Experiment &resolved);

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    Forecast *m_forecast;
    RunController *m_runController;
    QWidget *m_window;
    LatestJob m_copyJob;
    LatestJob m_durationsJob;
};

} // namespace stagelens::ui
