// What follows from the experiment on the desk: its prediction, the baseline's, and the advice.
#pragma once

#include "engine/service/engine_service.h"

#include <QObject>

#include <optional>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;

/// Predicts at every edit: plans of a desk at once, larger ones off the GUI thread. Keeps the last valid plan while the input
/// is illegal. Answers that belong to an older edit are dropped by their job.
class Forecast : public QObject {
    Q_OBJECT
public:
    Forecast(EngineBridge *bridge, ExperimentDocument *document, QObject *parent = nullptr);

    /// The last valid plan; null only before there was one.
    [[nodiscard]] const service::PredictionPtr &plan() const { return m_plan; }
    [[nodiscard]] const service::PredictionPtr &baseline() const { return m_baseline; }
    [[nodiscard]] const QString &baselineName() const { return m_baselineName; }
    /// Of the plan; null while it is being computed.
    [[nodiscard]] const service::Advice *advice() const { return m_advice ? &*m_advice : nullptr; }
    /// Why the document's experiment is not the plan; empty if it is.
    [[nodiscard]] const base::Problems &problems() const { return m_problems; }
    [[nodiscard]] bool isComputing() const { return m_stage == Stage::Plan; }

    /// Makes the plan of the moment the baseline, or 1F1B without vocabulary parallelism again.
    void pinBaseline();
    void unpinBaseline();
    [[nodiscard]] bool isPinned() const { return m_pinned.has_value(); }
    /// Predicts again: the costs of this machine have changed.
    void refresh();

signals:
    /// Plan, baseline, problems or computing state changed.
    void changed();
    void adviceChanged();

private:
    enum class Stage : unsigned char { Idle, Plan, Baseline, Advice };
    void predict();
    void predictBaseline();
    void askAdvice();
    void submit(Stage stage, const model::Experiment &experiment);
    void take(quint64 job, const service::PredictionAnswerPtr &answer);
    void accept(const service::PredictionPtr &plan);
    [[nodiscard]] model::Experiment baselineExperiment() const;

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    service::PredictionPtr m_plan;
    service::PredictionPtr m_baseline;
    model::Experiment m_baselineSource; ///< what m_baseline was predicted from
    QString m_baselineName;
    std::optional<model::Experiment> m_pinned;
    std::optional<service::Advice> m_advice;
    base::Problems m_problems;
    Stage m_stage = Stage::Idle;
    service::JobId m_job = 0;
};

} // namespace stagelens::ui
