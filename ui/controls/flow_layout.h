// Controls in rows that break where the width ends.
#pragma once

#include <QLayout>

namespace stagelens::ui {

/// Lays its items from left to right at their preferred size and begins a new row where one is full.
class FlowLayout : public QLayout {
public:
    FlowLayout(QWidget *parent, int horizontalGap, int verticalGap);
    ~FlowLayout() override;

    /// Sets the room between the items of a row.
    void setHorizontalGap(int gap)
    {
        m_horizontalGap = gap;
        invalidate();
    }
    void addItem(QLayoutItem *item) override { m_items.append(item); }
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    void setGeometry(const QRect &area) override;

private:
    /// Height that the rows take; places the items if asked.
    int arrange(const QRect &area, bool place) const;
    QList<QLayoutItem *> m_items;
    int m_horizontalGap;
    int m_verticalGap;
};

/// A control with its caption before it, which stay together where a row breaks. The caption is its accessible name.
[[nodiscard]] QWidget *captioned(const QString &caption, QWidget *control);

} // namespace stagelens::ui
