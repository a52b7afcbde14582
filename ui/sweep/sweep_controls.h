// The controls of a sweep: what varies, which methods, whether to predict or to train, and how far the sweep is.
#pragma once

#include "ui/sweep/sweep_plan.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace stagelens::ui {

class ExperimentDocument;
class TickList;

/// Two rows of controls. They say what the user asks for; the page decides what happens.
class SweepControls : public QWidget {
    Q_OBJECT
public:
    explicit SweepControls(ExperimentDocument *document, QWidget *parent = nullptr);

    /// Returns what the controls describe, or an error with the sentence to show.
    [[nodiscard]] base::Result<SweepSetup> setup() const;
    /// Returns whether the plans are to be trained, and not predicted.
    [[nodiscard]] bool trains() const;
    [[nodiscard]] const SweepMetric &metric() const;

    /// Makes the schedule the first parameter, with the families that are offered for the plan.
    void varySchedule();

    enum class Activity : unsigned char { Idle, Live, Running };
    /// Shows the start button, the progress of a sweep, or neither while predictions start by themselves.
    void setActivity(Activity activity, bool canStart);
    /// Says what would be started and what it costs, or why nothing can be started.
    void setAmount(const QString &words);
    void beginProgress(std::size_t plans);
    void showProgress(const service::SweepSnapshot &snapshot);
    void showStopping();

signals:
    /// What is to be swept has changed.
    void edited();
    void metricChanged();
    void startAsked();
    void cancelAsked();

private:
    QWidget *makeParameters();
    QWidget *makeMethods();
    /// The values of one parameter: a line of what is typed, or a list to tick that writes that line.
    struct Values {
        QLineEdit *line;
        TickList *list;
    };
    [[nodiscard]] Values makeValues(const QString &name, const QString &caption);
    /// Offers values of a parameter.
    void offer(const Values &values, int parameter);
    /// Shows what a parameter is given by; null: neither.
    static void showFor(const Values &values, const SweepParameter *parameter);

    ExperimentDocument *m_document;
    QComboBox *m_first;
    Values m_firstValues;
    QComboBox *m_second;
    Values m_secondValues;
    std::vector<QCheckBox *> m_methods;
    QComboBox *m_metric;
    QComboBox *m_how; ///< predict or train
    QPushButton *m_start;
    QPushButton *m_cancel;
    QLabel *m_amount;
    QProgressBar *m_progress;
};

} // namespace stagelens::ui
