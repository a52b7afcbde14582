// A text of one line that gives up letters before it gives up its place.
#pragma once

#include <QWidget>

namespace stagelens::ui {

/// As wide as its text where there is room, else elided; then the whole text is its tip. Never markup.
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

private:
    QString m_text;
};

} // namespace stagelens::ui
