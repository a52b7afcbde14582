// A text of one line that gives up letters before it gives up its place.
#pragma once

#include <QWidget>

namespace stagelens::ui {

/// As wide as its text where there is room, else elided; then the whole text is its tip, and a click, Return or Space shows it
/// in a panel from which it is copied. Never markup.
class LineLabel : public QWidget {
    Q_OBJECT
public:
    explicit LineLabel(QWidget *parent = nullptr);
    void setText(const QString &text);
    [[nodiscard]] QString text() const { return m_text; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] bool isElided() const;
    /// Lets the mouse and the keyboard come to a text that is elided.
    void offerWhole();
    void showWhole();
    QString m_text;
};

} // namespace stagelens::ui
