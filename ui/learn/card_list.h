// The overview of Learn: a card for each scene, tour, challenge and example, with a small picture of its plan.
#pragma once

#include "ui/learn/contents_list.h"
#include "ui/state/latest_job.h"

#include <QListWidget>

#include <deque>

namespace stagelens::ui {

/// The overview is there at once: jobs predict the plans, one after another, and each is drawn when its answer arrives.
class CardList : public QListWidget {
    Q_OBJECT
public:
    CardList(EngineBridge *bridge, QWidget *parent);
    /// Shows scenes, tours, challenges and examples; other entries are left out.
    void setEntries(const QList<LearnEntry> &entries);
    /// Whether every card has its picture.
    [[nodiscard]] bool isDrawn() const { return m_toDraw.empty() && !m_job.isRunning(); }

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
    LatestJob m_job;
};

} // namespace stagelens::ui
