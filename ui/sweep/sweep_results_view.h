// The results of a sweep: two linked plots with their legend, the marked result, and what can be done with it.
#pragma once

#include "ui/sweep/sweep_outcomes.h"

#include <QWidget>

class QCheckBox;
class QGraphicsOpacityEffect;
class QLabel;
class QPushButton;

namespace stagelens::ui {

class ExperimentDocument;
class NumberBox;
class SweepMultiples;
class SweepPlot;

/// Marks the best result for the user's goal until the user chooses another.
class SweepResultsView : public QWidget {
    Q_OBJECT
public:
    SweepResultsView(const SweepOutcomes *outcomes, ExperimentDocument *document, QWidget *parent = nullptr);

    /// Draws the outcomes again.
    void refresh();
    /// Draws at half opacity: the results are of another question. Exports are not greyed.
    void setStale(bool on);
    void setMetric(const SweepMetric &metric);
    /// Marks the best result again, whatever the user chose.
    void forgetChoice();
    [[nodiscard]] bool hasResults() const;
    /// Returns the figures as "csv" or "json".
    [[nodiscard]] std::string text(const QString &format) const;
    /// Writes the figures as csv or json, or the picture as png, svg or pdf.
    [[nodiscard]] base::Result<> exportTo(const QString &file, const QString &format);
    /// Returns legend and plots.
    [[nodiscard]] QWidget *picture() { return m_picture; }
    /// Returns one plot, or one for each value of the second parameter.
    [[nodiscard]] const std::vector<SweepPlot *> &metricPlots() const;
    [[nodiscard]] SweepPlot *memoryPlot() { return m_memoryPlot; }

signals:
    /// A plan is to become the experiment.
    void openAsked(const QString &words, const stagelens::model::Experiment &plan);
    /// Two to six plans, with their names, are to be compared.
    void compareAsked(const std::vector<std::pair<QString, stagelens::model::Experiment>> &plans);
    /// Other schedules are to be tried as well.
    void schedulesAsked();
    void failed(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;

private:
    void makePlots();
    QWidget *makeGoal();
    QWidget *makeActions();
    void chooseBest();
    void chooseByHand(int id);
    void choose(int id);
    void highlight(int id);
    void open(int id);
    void askForFile();

    const SweepOutcomes *m_outcomes;
    ExperimentDocument *m_document;
    const SweepMetric *m_metric;
    QWidget *m_picture;
    QWidget *m_legend;
    QGraphicsOpacityEffect *m_grey; ///< of the picture
    SweepMultiples *m_metricPlot;
    SweepPlot *m_memoryPlot;
    QCheckBox *m_goal;
    NumberBox *m_allowance; ///< per cent
    QLabel *m_point;        ///< the marked result in words
    QPushButton *m_vary;    ///< shown while only one schedule was tried for the goal
    QPushButton *m_open;
    QPushButton *m_compare;
    QPushButton *m_export;
    int m_chosen = -1; ///< number of the marked result
    bool m_isChosenByHand = false;
};

} // namespace stagelens::ui
