// The load of experts over the steps of a run.
#pragma once

#include "engine/timeline/router_counts.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

namespace stagelens::ui {

/// Left: the rows of each expert rank of each layer (without expert ranks: of each expert), relative to the mean of its layer,
/// over the steps. Right: by how much the busiest one exceeds the mean, the entropy of the routers, and the dropped rows.
class ExpertPlot : public QWidget {
    Q_OBJECT
public:
    explicit ExpertPlot(QWidget *parent = nullptr);
    ~ExpertPlot() override;
    /// `steps` are those of the run, in order. Without steps a sentence says how to see some. `ranks`: expert ranks, 1 if all
    /// experts of a layer are on one device. `caption`: which run.
    void setSteps(std::vector<timeline::RouterStepPtr> steps, int ranks, QString caption);
    /// Returns the figures below a point of the widget: "step 12, layer 3, expert rank 1: 1.61x the mean of its layer"; empty
    /// beside the loads.
    [[nodiscard]] QString textAt(QPoint point) const;
    /// Returns the loads of the last step relative to the means of their layers as text: a line a layer, a column an expert or
    /// expert rank.
    [[nodiscard]] QString figures() const;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagelens::ui
