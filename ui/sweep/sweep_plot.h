// Points of a sweep in a plane; two such plots are linked by the numbers of their points.
#pragma once

#include "engine/timeline/timeline.h"

#include <QStringList>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

/// One point. How it was made decides the filling of its sign: predicted hollow, live filled, virtual clock half filled,
/// published crossed. An impossible one is an x.
struct SweepMark {
    int id = 0;             ///< the same in both plots
    std::size_t series = 0; ///< decides colour and shape
    double x = 0;
    std::optional<double> y; ///< absent: an impossible point that has no figure, drawn at the bottom
    timeline::Provenance kind = timeline::Provenance::Predicted;
    bool possible = true;
    int workload = 0;       ///< only plans that do the same work compete on a front
    QString words;          ///< for those who cannot see it
    bool isClipped = false; ///< in bytes it is beyond the rim, at which it is drawn
};

struct SweepAxisLook {
    QString name;
    std::function<QString(double)> text;
    std::vector<double> ticks; ///< empty: chosen by the plot
    bool logarithmic = false;  ///< base 2
    bool fromZero = false;
    std::optional<double> reaches; ///< at least so far: several plots are compared
    bool inBytes = false;          ///< marks at powers of two
};

struct SweepContent {
    QString title;
    SweepAxisLook x;
    SweepAxisLook y;
    QStringList series;
    std::vector<SweepMark> marks;
    bool lines = false;             ///< joins the possible points of a series and kind, in the order of x
    bool front = false;             ///< joins those of a workload that no other surpasses in both (less is better)
    std::optional<double> capacity; ///< a vertical line
    QString empty;                  ///< the sentence in the place of points
};

class SweepPlot : public QWidget {
    Q_OBJECT
public:
    explicit SweepPlot(const QString &name, QWidget *parent = nullptr);
    ~SweepPlot() override;
    void setContent(SweepContent content);
    /// Marks a point of both plots; -1: none.
    void setHighlighted(int id);
    [[nodiscard]] int highlighted() const;
    /// Returns the position of a point in the widget, or nothing; for tests and scenes.
    [[nodiscard]] std::optional<QPoint> placeOf(int id) const;

signals:
    /// -1: none.
    void pointed(int id);
    void chosen(int id);
    void opened(int id);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

/// The marks of a workload, indices into them, that no other possible one surpasses in both figures, by x.
[[nodiscard]] std::vector<std::size_t> paretoFront(const std::vector<SweepMark> &marks, int workload);

} // namespace stagelens::ui
