// The figures of the plan in one line, where there is no room for their panel.
#pragma once

#include <QWidget>

#include <vector>

class QLabel;

namespace stagelens::ui {

struct Figures;
class FlowLayout;

/// Shortens its names where they leave no room for all figures, and breaks into a second row where that is not enough.
class FiguresLine : public QWidget {
    Q_OBJECT
public:
    explicit FiguresLine(QWidget *parent);
    void setFigures(const Figures &figures);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    /// Sets names and gaps so that the figures are in one row if they can.
    void fit();
    /// Returns the width of all figures in one row.
    [[nodiscard]] int neededWidth(int gap) const;
    struct Pair {
        QWidget *both;
        QLabel *name;
        QLabel *value;
        QLabel *change; ///< against the baseline
    };
    std::vector<Pair> m_pairs;
    QString m_peakName; ///< says of which device
    FlowLayout *m_flow;
};

} // namespace stagelens::ui
