// What follows from the open experiment: its prediction, the baseline's, and the advice.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/words/headline.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;

/// Predicts at every edit: small plans at once, larger ones off the GUI thread. Keeps the last valid plan while the input
/// is illegal. Answers that belong to an older edit are dropped by their job.
class Forecast : public QObject {
    Q_OBJECT
public:
    Forecast(EngineBridge *bridge, ExperimentDocument *document, QObject *parent = nullptr);

    /// The last valid plan; null only before there was one.
    [[nodiscard]] const service::PredictionPtr &plan() const { return m_plan; }
    /// Experiment and metrics of the baseline; what they were computed from is not kept. Null while it is being computed.
    [[nodiscard]] const service::PredictionPtr &baseline() const { return m_baseline; }
    /// Returns the baseline if its times have the plan's unit, else null.
    [[nodiscard]] service::PredictionPtr comparableBaseline() const;
    [[nodiscard]] const QString &baselineName() const { return m_baselineName; }
    /// Of the plan; null while it is being computed.
    [[nodiscard]] const service::Advice *advice() const { return m_advice ? &*m_advice : nullptr; }
    /// Why the document's experiment is not the plan; empty if it is.
    [[nodiscard]] const base::Problems &problems() const { return m_problems; }
    /// The smallest change found that makes a plan fit which no vocabulary method makes fit; null where there is none.
    [[nodiscard]] const MemoryFix *fix() const { return m_fix ? &*m_fix : nullptr; }
    /// The plan with each schedule family; grows in the background. Not tried for plans too large to be predicted at once.
    [[nodiscard]] const FamilyOptions &familyOptions() const { return m_families; }

    /// How long the document's plan has been waited for. A short wait is not worth a word.
    enum class Wait : unsigned char { None, Noticeable, Long };
    [[nodiscard]] Wait wait() const { return m_wait; }
    /// The plan is not the document's: its input is illegal, its answer takes noticeably long, or nobody waits for it any more.
    [[nodiscard]] bool isStale() const { return !m_problems.empty() || m_wait != Wait::None || m_cancelled; }
    /// The document's plan is being computed, however short a time.
    [[nodiscard]] bool isComputing() const { return m_stage == Stage::Plan; }
    [[nodiscard]] bool isCancelled() const { return m_cancelled; }
    /// Gives up the plan that is being computed; the last one stays.
    void cancel();
    static constexpr int kNoticeableMilliseconds = 100;
    static constexpr int kLongMilliseconds = 1000;

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
    void familiesChanged();

private:
    enum class Stage : unsigned char { Idle, Plan, Baseline, Advice, Least, Fix, Family };
    /// What was computed for a plan.
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
    /// Has problems: what is shown is the plan from before the edit, not what stood there between two keys.
    void refuse(base::Problems problems);
    void predictBaseline();
    void askAdvice();
    /// Looks for the fewest layers to recompute that make the plan fit, as the first change to try.
    void askLeast();
    /// Tries the next change that may make the plan fit, then the families.
    void askFix();
    /// Goes on with the first family that has no option yet.
    void askFamily();
    void takeFix(const base::Result<service::PredictionPtr> &answer);
    void takeFamily(const base::Result<service::PredictionPtr> &answer);
    void stopWaiting();
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
