// The goals of a challenge below its text: which are met, a hint, the solution.
#pragma once

#include "ui/learn/tour.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace stagelens::ui {

/// Hidden for a step that is no challenge.
class ChallengeBar : public QWidget {
    Q_OBJECT
public:
    explicit ChallengeBar(QWidget *parent);
    /// Begins the challenge of a step; a step without goals hides the bar.
    void begin(const TourStep &step);
    /// The figures after a change by the reader; `isSound` is false while the plan cannot be simulated.
    void follow(const Facts &facts, bool isSound);
    [[nodiscard]] bool isSolved() const { return m_isSolved; }
    /// Returns how far the reader is, and the goals as they are read out.
    [[nodiscard]] QString text() const;

signals:
    /// The solution is to be shown in the picture.
    void solutionAsked();

protected:
    void changeEvent(QEvent *event) override;

private:
    void showGoals(const std::vector<bool> &met);

    std::vector<CheckedClaim> m_goals;
    std::vector<bool> m_met;
    QString m_hint;
    bool m_isSolved = false;
    bool m_isShown = false; ///< the solution was asked for
    QLabel *m_title;
    QVBoxLayout *m_lines;
    std::vector<QLabel *> m_labels; ///< one for each goal
    std::vector<QLabel *> m_marks;  ///< whether it is met
    QLabel *m_help;
    QPushButton *m_ask;
    QPushButton *m_show;
};

} // namespace stagelens::ui
