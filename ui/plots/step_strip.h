// The durations of a run's steps on one axis, with what was predicted.
#pragma once

#include "engine/base/units.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace stagelens::ui {

/// One dot a step, from the first at the top to the last at the bottom; the steps of the warm-up are hollow. The middle half of
/// the others is shaded, and their median is a line, as the prediction is.
class StepStrip : public QWidget {
    Q_OBJECT
public:
    explicit StepStrip(QWidget *parent = nullptr);
    /// `iterations` of every step, in order.
    void setSteps(std::vector<base::Nanos> iterations, base::Nanos predicted);
    /// Returns the position of a step's dot, or nothing if there is no such step. `step` counts from 0. For tests.
    [[nodiscard]] std::optional<QPoint> placeOf(std::size_t step) const;
    /// "Step 5: 118 ms" of the nearest dot; empty where there is none.
    [[nodiscard]] QString textAt(QPoint point) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] QRect dots() const;
    [[nodiscard]] double xOf(base::Nanos duration) const;
    void paintLine(class QPainter &painter, base::Nanos duration, const QString &text, int row, const class QColor &ink) const;

    std::vector<base::Nanos> m_iterations;
    base::Nanos m_predicted = 0;
};

} // namespace stagelens::ui
