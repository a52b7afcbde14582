// The documentation inside the window: tours and pages beside pictures that live, and the way from both to a plan.
#pragma once

#include "engine/model/experiment.h"
#include "ui/learn/contents_list.h"
#include "ui/learn/tour.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QShortcut;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace stagelens::ui {

class CardList;
class ChallengeBar;
class LessonPicture;
class PageBrowser;

/// Reads resources/docs and resources/examples when it is shown first.
class LearnPage : public QWidget {
    Q_OBJECT
public:
    explicit LearnPage(QWidget *parent = nullptr);
    /// Shows a page or a tour by its path under resources/docs ("schedules/1f1b.md", "tours/bubble.tour").
    void showPage(const QString &path);
    /// Shows the cards.
    void showOverview();
    /// Shows what was shown before.
    void goBack();
    void startSearch();
    /// Writes the steps of the tour that is shown as slides.
    [[nodiscard]] base::Result<> exportSlides(const QString &file) const;
    /// Shows a tour that is no file of the documentation, such as a lecture.
    void showOwnTour(Tour tour);
    /// A step of the tour that is shown, from 0.
    void showStep(int step);
    [[nodiscard]] LessonPicture *picture() { return m_picture; }
    /// What the keyboard walks through.
    [[nodiscard]] QList<QWidget *> panes() const;
    /// The page without the contents, in larger type.
    void setPresentation(bool on);

signals:
    void failed(const QString &sentence);
    /// The page of a schedule family or a vocabulary method asks to be tried on the plan.
    void familyAsked(const QString &family);
    void methodAsked(stagelens::model::VocabularyMethod method);
    /// The plan of a live picture asks to become the experiment.
    void planAsked(const stagelens::model::Experiment &experiment, const QString &title);

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void build();
    [[nodiscard]] QWidget *makeSteps();
    [[nodiscard]] QWidget *makeSide();
    void fill();
    void show(const LearnEntry &entry);
    /// Notes where the reader was, for goBack().
    void leave();
    void showTour(const QString &path);
    void showTour(base::Result<Tour> tour);
    void showExample(const LearnEntry &entry);
    void offer();
    void tryPage();
    /// Fills the step's text with the picture's figures, and says what of it the reader's change made untrue.
    void refill();

    ContentsList *m_contents;
    QPushButton *m_goBack;
    QWidget *m_side = nullptr; ///< contents with the buttons above them
    QStackedWidget *m_stack;   ///< cards or a lesson
    CardList *m_cards;
    PageBrowser *m_text;
    LessonPicture *m_picture;
    QSplitter *m_lesson;
    ChallengeBar *m_challenge;
    QWidget *m_steps;
    QPushButton *m_back;
    QPushButton *m_next;
    QLabel *m_progress;
    QPushButton *m_try;
    std::vector<QShortcut *> m_remotes; ///< a presenter's keys, while it is presented
    QString m_page;
    std::optional<LearnEntry> m_here; ///< nothing: the overview
    std::vector<std::optional<LearnEntry>> m_history;
    bool m_isGoingBack = false;
    std::optional<Tour> m_tour; ///< that is shown; nothing for a page
    int m_step = 0;
};

} // namespace stagelens::ui
