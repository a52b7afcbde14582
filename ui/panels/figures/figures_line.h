// The figures of the plan in one line, where there is no room for their panel.
#pragma once

#include <QWidget>

#include <vector>

class QLabel;

namespace stagelens::ui {

struct Figures;

/// Breaks into a second row where the window is narrower still.
class FiguresLine : public QWidget {
    Q_OBJECT
public:
    explicit FiguresLine(QWidget *parent);
    void setFigures(const Figures &figures);

private:
    struct Pair {
        QWidget *both;
        QLabel *name;
        QLabel *value;
        QLabel *change; ///< against the baseline
    };
    std::vector<Pair> m_pairs;
};

} // namespace stagelens::ui
