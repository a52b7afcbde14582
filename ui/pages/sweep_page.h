// The mode in which many plans are swept through: what varies, how much that costs, and two linked plots.
#pragma once

#include "ui/state/sweep_table.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class MessageBar;
class NumberBox;
class SweepMultiples;
class SweepPlot;

class SweepPage : public QWidget {
    Q_OBJECT
public:
    SweepPage(EngineBridge *bridge, ExperimentDocument *document, QWidget *parent = nullptr);
    /// What stands in the controls; an error has the sentence to show.
    [[nodiscard]] base::Result<SweepSetup> setup() const;
    [[nodiscard]] bool isRunning() const { return m_job != 0; }
    /// Starts what the controls say. Predictions that are going on give way.
    void start();
    /// Whether the results are those of the controls and of the plan.
    [[nodiscard]] bool isUpToDate() const;
    void cancel();
    /// A training run of the window is going on, so that none can be started here.
    void setTraining(bool training);
    [[nodiscard]] bool hasResults() const;
    /// Legend and plots.
    [[nodiscard]] QWidget *results() { return m_results; }
    /// The figures as "csv" or "json".
    [[nodiscard]] std::string resultsText(const QString &format) const;
    /// The figures to a file whose name ends in csv or json, or the picture to one in png, svg or pdf.
    [[nodiscard]] base::Result<> exportResults(const QString &file);
    [[nodiscard]] SweepPlot *metricPlot();
    /// One plot, or one for each value of the second parameter.
    [[nodiscard]] const std::vector<SweepPlot *> &metricPlots() const;
    [[nodiscard]] SweepPlot *memoryPlot() { return m_memoryPlot; }

signals:
    void openAsked(const QString &words, const stagelens::model::Experiment &plan);
    /// Two to six plans, with their names.
    void compareAsked(const std::vector<std::pair<QString, stagelens::model::Experiment>> &plans);
    /// Runs were stored.
    void runsChanged();
    void resultsChanged();

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    /// The plans of one sweep with what became of them.
    struct Outcome {
        std::vector<SweepEntry> entries;
        service::SweepSnapshotPtr state;
    };

    void build();
    QWidget *makeControls();
    QWidget *makeMethods();
    void makePlots();
    [[nodiscard]] bool trains() const;
    QWidget *makeGoal();
    /// The controls or the plan have changed.
    void edited();
    /// Predictions that take less than a second start by themselves, after a pause in typing.
    [[nodiscard]] bool isLive();
    /// Marks the plan that is best for the goal, until the reader chooses another.
    void chooseBest();
    /// Says what would be started and what it costs.
    void showAmount();
    void askEstimate();
    void take(quint64 job, const service::SweepSnapshotPtr &snapshot);
    void showProgress(const service::SweepSnapshot &snapshot);
    void refreshPlots();
    [[nodiscard]] std::vector<SweepResult> done() const;
    void askForFile();
    void highlight(int id);
    void choose(int id);
    void chooseByHand(int id);
    void open(int id);
    /// The possible plans of the series of the marked point, in the order of the first parameter.
    [[nodiscard]] std::vector<std::pair<QString, model::Experiment>> seriesOfChosen() const;
    [[nodiscard]] double secondsOfPrediction(const model::Experiment &plan);
    [[nodiscard]] std::optional<double> estimatedSeconds(const std::vector<SweepEntry> &entries);
    [[nodiscard]] const SweepEntry *entryOf(int id) const;
    [[nodiscard]] const service::SweepPoint *pointOf(int id) const;
    [[nodiscard]] QString wordsOf(int id) const;

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    QComboBox *m_first;
    QLineEdit *m_firstValues;
    QComboBox *m_second;
    QLineEdit *m_secondValues;
    std::vector<QCheckBox *> m_methods;
    QComboBox *m_metric;
    QComboBox *m_how;
    QCheckBox *m_goal;
    NumberBox *m_allowance; ///< per cent
    QPushButton *m_start;
    QPushButton *m_cancel;
    QLabel *m_amount;
    QProgressBar *m_progress;
    MessageBar *m_bar;
    QLabel *m_point;
    QPushButton *m_open;
    QPushButton *m_compare;
    QPushButton *m_export;
    QWidget *m_results;
    QWidget *m_legend;
    SweepMultiples *m_metricPlot;
    SweepPlot *m_memoryPlot;

    SweepSetup m_shownSetup;         ///< of the outcomes
    std::vector<Outcome> m_outcomes; ///< predictions, training runs, what was published
    service::JobId m_job = 0;
    std::size_t m_running = 0; ///< the outcome that the job fills
    std::size_t m_storedRuns = 0;
    service::JobId m_estimateJob = 0;
    QTimer m_estimateDelay;
    QTimer m_liveDelay;
    std::vector<SweepEntry> m_estimated; ///< what the estimate is of
    service::SweepSnapshotPtr m_estimate;
    double m_secondsOfPass = 0;
    bool m_training = false;
    int m_chosen = -1;
    bool m_isChosenByHand = false;
};

} // namespace stagelens::ui
