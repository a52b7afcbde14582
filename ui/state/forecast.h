// Everything that is predicted for the open experiment: its plan, the baseline, the advice.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/state/latest_job.h"
#include "ui/words/advice/headline.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;

/// Predicts at every edit: quick plans (isQuick()) at once, others as jobs. Keeps the last valid plan until the answer arrives,
/// and while the input is invalid. Drops answers to older edits: their job is not the newest.
class Forecast : public QObject {
    Q_OBJECT
public:
    Forecast(EngineBridge *bridge, ExperimentDocument *document, QObject *parent = nullptr);

    /// The last valid plan, predicted; null only before there was one.
    [[nodiscard]] const service::PredictionPtr &plan() const { return m_plan; }
    /// Experiment and metrics of the baseline, without timeline and schedule. Null while it is being computed.
    [[nodiscard]] const service::PredictionPtr &baseline() const { return m_baseline; }
    /// Returns the baseline if its times have the plan's unit, else null.
    [[nodiscard]] service::PredictionPtr comparableBaseline() const;
    [[nodiscard]] const QString &baselineName() const { return m_baselineName; }
    /// Of the plan; null while it is being computed.
    [[nodiscard]] const service::Advice *advice() const { return m_advice ? &*m_advice : nullptr; }
    /// Why the document's experiment is not the plan; empty if it is.
    [[nodiscard]] const base::Problems &problems() const { return m_problems; }
    /// The smallest change found that makes the plan fit into memory; null if a vocabulary method does, or if none was found.
    [[nodiscard]] const MemoryFix *fix() const { return m_fix ? &*m_fix : nullptr; }
    /// The plan with each schedule family; grows in the background. Not tried for plans too large to be predicted at once.
    [[nodiscard]] const FamilyOptions &familyOptions() const { return m_families; }

    /// How long the document's plan, or the document itself, has been computed. A short wait is not shown.
    using Wait = LatestJob::Wait;
    [[nodiscard]] Wait wait() const;
    /// The plan is not the document's: the input is invalid, the answer takes noticeably long, or the job was cancelled.
    [[nodiscard]] bool isStale() const { return !m_problems.empty() || wait() != Wait::None || m_cancelled; }
    /// The document's plan, or the document itself, is being computed, however short a time.
    [[nodiscard]] bool isComputing() const;
    /// Returns whether the plan is the document's: what is derived from the plan may then be written into the document.
    [[nodiscard]] bool isCurrent() const { return m_plan && m_problems.empty() && !isComputing() && !m_cancelled; }
    [[nodiscard]] bool isCancelled() const { return m_cancelled; }
    /// Cancels the plan, or the change of the document, that is being computed; the last one stays.
    void cancel();

    /// Makes the present plan the baseline; unpinBaseline() makes it 1F1B without vocabulary parallelism again.
    void pinBaseline();
    void unpinBaseline();
    [[nodiscard]] bool isPinned() const { return m_pinned.has_value(); }
    /// Predicts again: the costs of this machine have changed.
    void refresh();

signals:
    /// Plan, baseline, problems or computing state changed.
    void changed();
    void adviceChanged();
    void familiesChanged();

private:
    enum class Stage : unsigned char { Idle, Plan, Baseline, Advice, Least, Fix, Family };
    /// Everything that was computed for a plan.
    struct Answers {
        service::PredictionPtr plan;
        service::PredictionPtr baseline;
        model::Experiment baselineSource;
        QString baselineName;
        std::optional<service::Advice> advice;
        std::optional<MemoryFix> fix;
        FamilyOptions families;
    };
    void predict();
    /// Keeps the problems, and shows the plan from before the edit instead of one from between two keystrokes.
    void refuse(base::Problems problems);
    void predictBaseline();
    void askAdvice();
    /// Searches the fewest layers to recompute that make the plan fit, as the first change to try.
    void askLeast();
    /// Tries the next change that may make the plan fit, then the families.
    void askFix();
    /// Predicts the plan with the first family that has no option yet, then with each of them and another method.
    void askFamily();
    void takeFix(const base::Result<service::PredictionPtr> &answer);
    void takeFamily(const base::Result<service::PredictionPtr> &answer);
    void stopWaiting();
    void submit(Stage stage, const model::Experiment &experiment);
    void take(quint64 job, const service::PredictionAnswerPtr &answer);
    /// Makes the prediction the plan, then predicts the baseline; changed() is emitted with both, or while the baseline is
    /// computed.
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
    std::vector<MemoryFix> m_fixes; ///< still to be tried, the smallest last
    std::optional<MemoryFix> m_fix;
    FamilyOptions m_families;
    base::Problems m_problems;
    std::optional<Answers> m_beforeEdit; ///< kept until the edit is over and its plan is known to be valid
    bool m_isEditing = false;
    QTimer m_clock;
    Wait m_wait = Wait::None;
    bool m_cancelled = false;
    Stage m_stage = Stage::Idle;
    service::JobId m_job = 0;
};

} // namespace stagelens::ui
