// What is compared: stored runs, the plan with what improves it, and experiments from files.
#pragma once

#include "ui/state/latest_job.h"
#include "ui/words/comparison.h"

#include <QObject>
#include <QStringList>

#include <optional>
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

    /// Compares two to six runs, the first as the baseline.
    void compareRuns(const std::vector<qint64> &runs);
    /// Adds the predictions of experiments in files.
    void addFiles(const QStringList &files);

signals:
    /// Runs were loaded; the page should be shown.
    void pageAsked();
    void failed(const QString &sentence);

private:
    /// Returns the method that the plan is best compared with if the plan is the baseline.
    [[nodiscard]] std::optional<model::VocabularyMethod> bestMethod() const;
    void updateProposal();
    void acceptProposal();
    void addPlan();
    void askFiles();
    void fillMenu(QMenu *menu);
    [[nodiscard]] CompareItem planItem() const;
    /// Compares the plan with the prediction of another experiment.
    void compareWith(const model::Experiment &other, const QString &name, bool isFirst);
    /// Predicts the files that wait, one after another.
    void predictFiles();
    void cancel();

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    Forecast *m_forecast;
    RunDatabase *m_database;
    ComparePanel *m_panel;
    LatestJob m_job;
    QStringList m_files; ///< that are still to be predicted
};

} // namespace stagelens::ui
