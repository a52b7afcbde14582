// The verdict: the sentence over the picture, with its one action and the best alternative.
#pragma once

#include "ui/words/advice/headline.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace stagelens::ui {

/// A card of fixed height, so that nothing moves when the fix is found: a sentence of at most two lines, one filled button, and
/// a second line. Device names and the alternatives of the second line are links.
class HeadlineBar : public QFrame {
    Q_OBJECT
public:
    explicit HeadlineBar(QWidget *parent = nullptr);
    void setHeadline(const Headline &headline);
    [[nodiscard]] const Headline &headline() const { return m_headline; }
    /// Does what the headline proposes; nothing if it proposes nothing.
    void accept();

signals:
    /// The action, or an alternative of the second line, was chosen.
    void chosen(const stagelens::ui::Alternative &plan);
    void fixApplied();
    void repairAsked();
    void shapesAsked();
    /// The pointer or the focus is on what leads to that plan, or has left it (null).
    void hovered(const stagelens::ui::Alternative *plan);
    /// The name of a device was clicked.
    void deviceAsked(int device);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    /// The heights before the text is known: two lines of the largest type and the second line.
    void arrange();
    void showText();
    /// The height of the sentence, and with it the card's.
    void setTextHeight(int lines);
    void showSecond(int room);
    /// Returns what a link of the second line leads to; null: nothing.
    [[nodiscard]] const Alternative *alternativeOf(const QString &link) const;
    void colour();

    Headline m_headline;
    QLabel *m_label;
    QLabel *m_second;
    QPushButton *m_button;
};

} // namespace stagelens::ui
