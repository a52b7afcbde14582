// The labels of passes: "F 12" where it fits, the microbatch alone where that does.
#pragma once

#include "ui/timeline/colour_batches.h"

#include <QFontMetrics>

#include <array>
#include <vector>

namespace stagelens::ui {

/// Places the labels of any number of lanes and draws them at once.
class PassLabels {
public:
    PassLabels(const Scene &scene, const Colours &colours);

    /// Chooses the font and the labels for the lane of a row that is `height` device pixels high. Passes of one kind are
    /// labelled alike: none if more than one in eight lacks room for a number, and with the kind only if all have room for it.
    void setLane(const TimelineLayout::Row &row, int height, const std::vector<SliceBox> &boxes);
    /// The lane that is added next has no labels.
    void leaveLaneOut() { m_size = 0; }
    /// Returns whether a label may fit in a width of device pixels.
    [[nodiscard]] bool fits(int width) const { return m_size > 0 && width >= m_numberWidth; }
    /// Returns the width of the greatest microbatch's number.
    [[nodiscard]] int numberWidth() const { return m_numberWidth; }
    /// Adds the label of a pass if its rectangle has room. `own` is the batch that fills it; hatches under the label are
    /// hidden.
    void add(const SliceBox &box, QRect rect, const ColourBatches::Batch &own, ColourBatches &batches);

    /// Draws on a painter that counts in logical pixels.
    void draw(QPainter &painter) const;

private:
    enum class Style { None, Number, KindAndNumber };
    /// What decides on the label of a pass.
    struct Place {
        bool isOnVocabulary; ///< a pass that is part vocabulary has its label in the greater part
        double width;        ///< of that part in logical pixels, also where the window's edge cuts it off
        std::size_t alike;   ///< index into m_styles
    };
    struct Label {
        QPointF baseline;
        QString text;
        QColor ink;
        int size; ///< of the font, in pixels
    };
    /// Returns the part of a pass's rectangle that its label may take, in device pixels.
    [[nodiscard]] QRect roomIn(QRect rect, const SliceBox &box, bool isOnVocabulary) const;
    [[nodiscard]] Place placeOf(const SliceBox &box) const;
    [[nodiscard]] QString textOf(const schedule::Pass &pass, Style style) const;

    const Scene &m_scene;
    const Colours &m_colours;
    QColor m_vocabularyInk;
    QFontMetrics m_metrics;
    const TimelineLayout::Row *m_row = nullptr; ///< of the lane that is being added
    int m_size = 0;                             ///< of the lane's font, in pixels; 0: no labels
    int m_numberWidth = 0;
    int m_kindWidth = 0; ///< of a kind before the number
    std::array<Style, 2 * schedule::kPassKindCount>
        m_styles{}; ///< of the lane: by kind, first without, then with vocabulary work
    std::vector<Label> m_labels;
};

} // namespace stagelens::ui
