// The overview of Learn: a card for each scene, tour, challenge and example, with a small picture of its plan.
#pragma once

#include "ui/learn/contents_list.h"

#include <QListWidget>
#include <QTimer>

#include <deque>

namespace stagelens::ui {

/// Draws a picture at each turn of the event loop, so that the overview is there at once.
class CardList : public QListWidget {
    Q_OBJECT
public:
    explicit CardList(QWidget *parent);
    /// Shows scenes, tours, challenges and examples; other entries are left out.
    void setEntries(const QList<LearnEntry> &entries);
    /// Whether every card has its picture.
    [[nodiscard]] bool isDrawn() const { return m_toDraw.empty(); }

signals:
    void chosen(const stagelens::ui::LearnEntry &entry);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void drawNext();
    void drawAll();
    void fitCards();

    QList<LearnEntry> m_entries;
    std::deque<int> m_toDraw; ///< rows
    QTimer m_timer;
};

} // namespace stagelens::ui
