// The buttons of the plan strip.
#pragma once

#include "ui/controls/button_style.h"

#include <QToolButton>

namespace stagelens::ui {

/// A tool button whose words are elided where the slot is too narrow for them.
class StripButton : public QToolButton {
    Q_OBJECT
public:
    /// Filled with the accent, with a frame, or words alone.
    enum class Tone : unsigned char { Filled, Framed, Quiet };
    explicit StripButton(Tone tone, QWidget *parent = nullptr);
    /// Sets the words to show where the text does not fit. A filled button shows only its glyph if neither fits.
    void setNarrowText(const QString &words)
    {
        m_narrowText = words;
        update();
    }
    /// Shows an arrow down in place of words.
    void setChevron() { m_chevron = true; }
    /// What a filled button shows before its words.
    void setGlyph(Glyph glyph)
    {
        m_glyph = glyph;
        update();
    }

protected:
    void initStyleOption(QStyleOptionToolButton *option) const override;
    void paintEvent(QPaintEvent *event) override;

private:
    void paintFilled();
    /// Returns the words for a room of that many pixels; empty if there is a glyph and no room for words.
    [[nodiscard]] QString wordsFor(int room, const QFontMetrics &metrics) const;

    Tone m_tone;
    QString m_narrowText;
    bool m_chevron = false;
    Glyph m_glyph = Glyph::Play;
};

} // namespace stagelens::ui
