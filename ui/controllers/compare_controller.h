// What is compared: stored runs, the plan with what improves it, and experiments from files.
#pragma once

#include "ui/state/latest_job.h"
#include "ui/words/comparison.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QMenu;

namespace stagelens::ui {

class ComparePanel;
class EngineBridge;
class ExperimentDocument;
class Forecast;
class RunDatabase;

/// Fills the page of Compare. Predictions are jobs; one that replaces what is compared cancels those before.
class CompareController : public QObject {
    Q_OBJECT
public:
    CompareController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, RunDatabase *database,
                      ComparePanel *panel);

    /// Compares two to six runs, the first as the baseline; one run with the prediction of its plan.
    void compareRuns(const std::vector<qint64> &runs);
    /// Compares the predictions of two to six plans, the first as the baseline.
    void comparePlans(const std::vector<std::pair<QString, model::Experiment>> &plans);
    /// Adds the predictions of experiments in files.
    void addFiles(const QStringList &files);

signals:
    /// Runs were loaded, or plans taken; the page should be shown.
    void pageAsked();
    void failed(const QString &sentence);

private:
    /// An experiment that is still to be read and predicted.
    struct Waiting {
        QString name;
        std::function<base::Result<model::Experiment>()> read; ///< called on a thread of the engine
    };
    /// Returns the method that the plan is best compared with if the plan is the baseline.
    [[nodiscard]] std::optional<model::VocabularyMethod> bestMethod() const;
    void updateProposal();
    void acceptProposal();
    /// The plan with each vocabulary method.
    void compareMethods();
    void addPlan();
    void askFiles();
    void fillMenu(QMenu *menu);
    [[nodiscard]] CompareItem planItem() const;
    /// Compares the plan with the prediction of another experiment.
    void compareWith(const model::Experiment &other, const QString &name, bool isFirst);
    /// Predicts the experiments that wait, one after another.
    void predictNext();
    void cancel();

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    Forecast *m_forecast;
    RunDatabase *m_database;
    ComparePanel *m_panel;
    LatestJob m_job;
    std::vector<Waiting> m_waiting; ///< in the order in which they are added
};

} // namespace stagelens::ui
