// The line over the picture in which passes are searched.
#pragma once

#include "ui/timeline/pass_search.h"

#include <QFrame>

class QLabel;
class QLineEdit;

namespace stagelens::ui {

/// Says how many passes match, and asks for one after the other. Closes with Escape.
class SearchLine : public QFrame {
    Q_OBJECT
public:
    explicit SearchLine(QWidget *parent);
    void open();
    /// What is searched; null: nothing is there.
    void setTimeline(timeline::TimelinePtr timeline);

signals:
    void found(stagelens::timeline::SliceId slice);
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void search();
    void step(int by);
    void say();

    QLineEdit *m_edit;
    QLabel *m_count;
    timeline::TimelinePtr m_timeline;
    std::vector<timeline::SliceId> m_matches;
    std::ptrdiff_t m_at = -1;
};

} // namespace stagelens::ui
