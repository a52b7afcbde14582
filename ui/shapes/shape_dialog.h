// "Shapes that fit": which division of a number of GPUs is best for the plan's model.
#pragma once

#include "engine/service/search/plan_search.h"
#include "ui/shapes/shape_table.h"

#include <QDialog>
#include <QTimer>

#include <array>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace stagelens::ui {

class EngineBridge;
class LatestJob;
class NumberBox;
class TrainingFields;

/// Searches as `stagelens-cli plan` does, as a job with progress, and shows every shape at the same sequences of a step.
/// Degrees filter the table; a click on a row is a proposal to apply it.
class ShapeDialog : public QDialog {
    Q_OBJECT
public:
    explicit ShapeDialog(EngineBridge *bridge, QWidget *parent = nullptr);

    /// Follows the window's plan while the dialog is open: another model or hardware starts a search; null has no shapes.
    void setPlan(const service::PredictionPtr &plan);
    [[nodiscard]] bool isComputing() const;
    [[nodiscard]] ShapeTable *table() { return m_table; }

signals:
    void applied(const QString &words, const model::Experiment &experiment);
    /// Two to six rows, each with its name.
    void compareAsked(const std::vector<std::pair<QString, model::Experiment>> &plans);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    struct Progress;
    struct Question {
        model::Experiment plan; ///< without what a row of the table changes
        int gpus = 0;
        int batch = 0;
        friend bool operator==(const Question &, const Question &) = default;
    };

    QWidget *makeQuestion();
    QWidget *makeFilters();
    QWidget *makeButtons();
    /// Returns what the fields ask now.
    [[nodiscard]] Question question() const;
    [[nodiscard]] service::PlanQuery query() const;
    /// Fills in the ranks and the sequences of the plan where nothing else was typed.
    void offerPlan();
    void search();
    void cancel();
    void take(const base::Result<service::PlanAnswer> &answer);
    void fillDegrees();
    void filter();
    void showCosts();
    void showProgress();
    void followSelection();
    void apply(const model::Experiment &plan);
    void compare(const std::vector<std::pair<QString, model::Experiment>> &plans);

    EngineBridge *m_bridge;
    LatestJob *m_job;
    service::PredictionPtr m_plan;
    bool m_hasSearched = false;
    Question m_asked;      ///< the last search
    Question m_answered;   ///< what the rows of the table answer
    QString m_answer;      ///< the heading of these rows; empty: there are none
    int m_offeredGpus = 1; ///< from the plan; another number was typed, and stays
    int m_offeredBatch = 1;
    int m_offeredSequence = 1;
    NumberBox *m_gpus;
    NumberBox *m_batch;
    NumberBox *m_sequence;
    TrainingFields *m_training;
    QLabel *m_heading;
    ShapeTable *m_table;
    std::array<QComboBox *, 4> m_degrees{};
    QCheckBox *m_onlyFitting;
    bool m_restoresFilter = false; ///< m_onlyFitting was switched off because nothing fitted
    QCheckBox *m_onlyFront;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
    QPushButton *m_search = nullptr;
    QPushButton *m_apply = nullptr;
    QPushButton *m_compare = nullptr;
    QPushButton *m_ways = nullptr; ///< compares mostly pipeline, tensor, context and data ranks
    std::shared_ptr<Progress> m_progress;
    QTimer m_clock;
};

} // namespace stagelens::ui
