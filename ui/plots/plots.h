// The plots below the timeline.
#pragma once

#include "engine/base/units.h"
#include "engine/simulate/memory_profiles.h"
#include "engine/simulate/metrics.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

class ViewState;

/// Activations of one microbatch where profiles count microbatches; a stage of a device with v stages has 1 / v of them.
inline constexpr base::Bytes kMicrobatch = 1'000'000;

/// What the memory plot shows: all of one plan, so that its parts are set together.
struct MemoryContent {
    std::shared_ptr<const simulate::MemoryProfiles> profiles = {}; ///< null: there is nothing to show
    bool inMicrobatches = false; ///< profiles count activations in units of kMicrobatch, for plans without bytes
    base::Nanos end = 0;         ///< of the iteration
    base::Bytes capacity = 0;    ///< of a device; 0: no line
    QString caption = {};        ///< where the profiles come from
    /// What the baseline's fullest device holds, 0: unknown; the axis has room for it, so that a plan that takes less looks
    /// lower.
    base::Bytes baseline = 0;
    /// Most microbatches whose activations each device holds; explains the peak. Empty: not known.
    std::vector<double> activations = {};
    /// Outlines what the devices would hold otherwise: returns the profile of a device. Null: no outline.
    simulate::MemoryProfiles::Maker ghost = {};
    QString ghostWords = {}; ///< of which plan that is: "without ZeRO"
};

/// Live bytes of each device over time, stacked by category, on the timeline's axis, with the capacity as a line. Shows one
/// device's stack or all devices' totals.
class MemoryPlot : public QWidget {
    Q_OBJECT
public:
    explicit MemoryPlot(ViewState *state, QWidget *parent = nullptr);
    ~MemoryPlot() override;
    void setContent(MemoryContent content);
    /// Returns the peak of the outline that is drawn; 0: none.
    [[nodiscard]] base::Bytes ghostPeak() const;
    /// Bytes at the top of the axis.
    [[nodiscard]] base::Bytes top() const;
    /// Returns what the shown device holds as text: a table by category at the peak and, while the pointer is over the plot, at
    /// the pointer. Empty without a plan.
    [[nodiscard]] QString figures() const;

protected:
    /// Up and Down choose the device.
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

/// Bubble by device (bars) with its causes in words and parts.
class BubblePlot : public QWidget {
    Q_OBJECT
public:
    explicit BubblePlot(QWidget *parent = nullptr);
    ~BubblePlot() override;
    void setBubbles(const simulate::Metrics &metrics, std::optional<simulate::BubbleCauses> causes, QString caption);
    /// Returns the bubble, its causes and the idle share of each device as text, a line each.
    [[nodiscard]] QString figures() const;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

/// Loss over steps of one or more runs, with ln(vocabulary) as the line of a model that knows nothing.
class LossPlot : public QWidget {
    Q_OBJECT
public:
    explicit LossPlot(QWidget *parent = nullptr);
    ~LossPlot() override;
    struct Curve {
        QString name;
        std::vector<double> losses;
        double width = 1.8;            ///< of its line, in pixels
        std::vector<int> skipped = {}; ///< steps, from 0, that left the parameters as they were: each has a cross
    };
    /// No curves: says that training shows them. `ignorance` = ln(V).
    void setCurves(std::vector<Curve> curves, std::optional<double> ignorance);
    /// Returns the losses as text: a line a step, a column a run.
    [[nodiscard]] QString figures() const;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagelens::ui
