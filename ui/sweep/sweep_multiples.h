// Several sweep plots of one figure on equal axes: small multiples, one for each value of a second parameter.
#pragma once

#include "ui/sweep/sweep_plot.h"

class QGridLayout;

namespace stagelens::ui {

/// Speaks for all of its plots as one plot would.
class SweepMultiples : public QWidget {
    Q_OBJECT
public:
    explicit SweepMultiples(const QString &name, QWidget *parent = nullptr);
    /// One content or several; their y axes get the same range.
    void setContents(std::vector<SweepContent> contents);
    void setHighlighted(int id);
    /// The first is always there.
    [[nodiscard]] const std::vector<SweepPlot *> &plots() const { return m_plots; }

signals:
    void pointed(int id);
    void chosen(int id);
    void opened(int id);

private:
    void arrange();

    QString m_name;
    QGridLayout *m_grid;
    std::vector<SweepPlot *> m_plots;
};

} // namespace stagelens::ui
