// How the layers are cut into stages, as a strip whose borders are moved.
#pragma once

#include <QWidget>

#include <optional>
#include <vector>

namespace stagelens::ui {

class ExperimentDocument;

/// One field a stage, as wide as its layers. A border between two stages is dragged, or chosen with up and down and moved with
/// left and right: the layers pass from the one stage to the other. A double click makes the cut automatic again.
class StageStrip : public QWidget {
    Q_OBJECT
public:
    explicit StageStrip(ExperimentDocument *document, QWidget *parent = nullptr);

    /// Layers of each stage that are shown; empty while the experiment has no valid cut.
    [[nodiscard]] const std::vector<int> &cut() const { return m_cut; }
    /// The place of the border behind a stage, for tests.
    [[nodiscard]] QPoint borderAt(int stage) const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void refresh();
    [[nodiscard]] QRect inside() const;
    [[nodiscard]] int layers() const;
    [[nodiscard]] int layersBefore(int stage) const; ///< of all stages in front of one
    [[nodiscard]] double xOf(int layersBefore) const;
    [[nodiscard]] std::optional<int> nearestBorder(QPoint at) const;
    [[nodiscard]] QString stageText(int stage) const;
    /// Moves the border behind a stage so that as many layers are before it, within what its neighbours and the plan allow.
    void moveBorder(int stage, int wanted);

    ExperimentDocument *m_document;
    std::vector<int> m_cut;
    int m_devices = 1;
    int m_border = 0; ///< the chosen one: behind this stage
    bool m_dragging = false;
};

} // namespace stagelens::ui
