// Parallel coordinates as a widget, which mouse and keys answer.
#pragma once

#include "ui/plots/coordinates.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

/// Dragging along an axis keeps the lines that pass through that range; the others fade. A click on a range removes it.
class CoordinatesPlot : public QWidget {
    Q_OBJECT
public:
    explicit CoordinatesPlot(const QString &name, QWidget *parent = nullptr);
    ~CoordinatesPlot() override;
    void setContent(CoordinateContent content);
    /// Returns the lines in all ranges, in their order.
    [[nodiscard]] std::vector<qint64> kept() const;
    [[nodiscard]] bool hasRanges() const;
    void clearRanges();
    /// The selected line, chosen by a click or the arrow keys.
    [[nodiscard]] std::optional<qint64> selected() const;
    /// Returns where a line meets an axis, or nothing; for tests.
    [[nodiscard]] std::optional<QPoint> placeOf(qint64 line, std::size_t axis) const;

signals:
    void keptChanged();
    void selectionChanged();
    void opened(qint64 line);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagelens::ui
