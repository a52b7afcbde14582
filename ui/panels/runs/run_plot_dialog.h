// Runs > Plot: each run as a line through its figures, to find those that are good in several of them.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/plots/coordinates.h"

#include <QDialog>

#include <vector>

class QLabel;
class QPushButton;

namespace stagelens::ui {

class CoordinatesPlot;

/// The axes and lines of runs. An axis in whose value all of them agree is left out.
[[nodiscard]] CoordinateContent coordinatesOf(const std::vector<store::RunSummary> &runs);

/// Stays open beside the table and shows the same runs as it.
class RunPlotDialog : public QDialog {
    Q_OBJECT
public:
    explicit RunPlotDialog(QWidget *parent);
    /// Runs drawn at most.
    static constexpr std::size_t kMostRuns = 2000;
    /// The first of `found` runs of the table.
    void setRuns(const std::vector<store::RunSummary> &runs, std::size_t found);
    [[nodiscard]] CoordinatesPlot *plot() { return m_plot; }

signals:
    void showAsked(qint64 run);
    /// Two to six, from old to new.
    void compareAsked(const std::vector<qint64> &runs);

private:
    QWidget *makeButtons();
    void refresh();

    int m_found = 0;
    int m_drawn = 0;
    QLabel *m_heading;
    CoordinatesPlot *m_plot;
    QPushButton *m_show = nullptr;
    QPushButton *m_compare = nullptr;
    QPushButton *m_clear = nullptr;
};

} // namespace stagelens::ui
