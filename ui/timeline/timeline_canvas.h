// What a TimelineView shows: the content, and the layers of the plot that draw it.
#pragma once

#include "ui/canvas/qcp.h"
#include "ui/timeline/overlay.h"

#include <QImage>

#include <utility>
#include <vector>

namespace stagelens::ui {

/// Draws the picture when the event loop next runs; many changes make one drawing. The scene, that is where each lane and pass
/// is on the screen, is computed when the picture is drawn.
class TimelineCanvas {
public:
    /// Draws on a plot that is a child of the widget.
    TimelineCanvas(QWidget *widget, ViewState *viewState);

    /// Replaces the content. There are no rows until the next drawing.
    void setContent(TimelineContent content);
    [[nodiscard]] const TimelineContent &content() const { return m_content; }
    [[nodiscard]] const std::vector<GroupSums> &sums() const { return m_sums; }
    /// Returns the picture that was drawn last.
    [[nodiscard]] const Scene &scene() const { return m_scene; }
    [[nodiscard]] QCustomPlot *plot() const { return m_plot; }
    /// Returns whether a picture with lanes was drawn since the last call.
    [[nodiscard]] bool takeDrawn() { return std::exchange(m_drawn, false); }

    /// What is drawn above the picture; redrawOverlay() shows changes.
    [[nodiscard]] OverlayState &overlay() { return m_overlay; }
    void redraw();
    /// Draws only what is above the picture.
    void redrawOverlay();
    /// Makes room in the stacks of activations for as many as a device holds.
    void countHeld();

    /// Scrolls the lanes to an offset in pixels.
    void scrollTo(int scroll);
    void scrollBy(int pixels) { scrollTo(m_scroll + pixels); }
    void scrollToLane(int group, int device);
    /// Makes lanes higher or lower.
    void changePitch(int by);
    void arrangeLanes(int pitch, int device);

    /// Paints the whole picture in a size, with all lanes.
    void render(QPainter &painter, QSize size) const;

private:
    /// As many lanes as fit with the chosen height, or all of them.
    enum class Extent : unsigned char { Scrolled, All };
    /// Returns the picture in a size, complete with boxes.
    [[nodiscard]] Scene makeScene(QSize size, double ratio, Extent extent) const;
    void makeLayers();
    /// Paints the minimap from its image, which is painted again when what it shows has changed.
    void paintMinimapImage(QPainter &painter);

    struct Minimap {
        QImage image;
        QSize size;
        const Colours *colours = nullptr;
        base::Nanos span = 0;
        bool current = false; ///< the image is of the present content
    };
    QWidget *m_widget;
    ViewState *m_viewState;
    TimelineContent m_content;
    std::vector<GroupSums> m_sums; ///< of each group
    Scene m_scene;
    Minimap m_minimap;
    QCustomPlot *m_plot;
    bool m_drawn = false;
    QCPLayer *m_overlayLayer = nullptr;
    OverlayState m_overlay;
    int m_pitch = 0; ///< height of a lane with its gap; 0: as many lanes as fit
    int m_scroll = 0;
};

} // namespace stagelens::ui
