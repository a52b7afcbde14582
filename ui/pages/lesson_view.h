// A page, a tour or an example: its text beside a picture that lives, and the steps below.
#pragma once

#include "ui/learn/contents_list.h"
#include "ui/learn/tour.h"

#include <QSplitter>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QShortcut;

namespace stagelens::ui {

class ChallengeBar;
class EngineBridge;
class LessonPicture;
class PageBrowser;
class SlidesButton;

/// Shows one thing at a time. The text of a tour's step is filled with the figures of its picture.
class LessonView : public QSplitter {
    Q_OBJECT
public:
    explicit LessonView(EngineBridge *bridge, QWidget *parent = nullptr);

    /// Shows a page or a tour by its path under resources/docs.
    void showPage(const QString &path);
    /// Shows a tour that is no file of the documentation, such as a lecture.
    void showOwnTour(Tour tour);
    void showExample(const LearnEntry &example);
    /// Shows a step of the tour, from 0.
    void showStep(int step);
    /// Drops page and tour. The widgets stay until the next one is shown.
    void clear();
    void stopPlaying();
    /// Places text and picture beside each other if the page is wide enough, else one below the other.
    void place(int width);
    void setPresentation(bool on);
    [[nodiscard]] PageBrowser *text() { return m_text; }
    [[nodiscard]] LessonPicture *picture() { return m_picture; }

signals:
    void failed(const QString &sentence);
    /// A link leads to a page by its path under resources/docs.
    void pageAsked(const QString &path);
    /// The page of a schedule family or a vocabulary method is to be tried on the plan.
    void familyAsked(const QString &family);
    void methodAsked(stagelens::model::VocabularyMethod method);
    /// The plan of the picture is to become the experiment.
    void planAsked(const stagelens::model::Experiment &experiment, const QString &title);
    /// Runs that a step has trained are to be compared.
    void compareAsked(const std::vector<qint64> &runs);

private:
    void build();
    [[nodiscard]] QWidget *makeSteps();
    void connectParts();
    void showTour(base::Result<Tour> tour);
    /// Offers to try the page's family or method on the user's plan.
    void offerTry();
    void tryPage();
    /// Fills the step's text with the picture's figures, and says what of it the reader's change made untrue.
    void refill();
    /// Returns what of the step's claims is untrue, as a sentence; empty: nothing, as far as it is known.
    [[nodiscard]] QString doubts(const TourStep &step) const;

    PageBrowser *m_text;
    LessonPicture *m_picture;
    ChallengeBar *m_challenge;
    SlidesButton *m_slides;
    QWidget *m_steps = nullptr;
    QPushButton *m_back;
    QPushButton *m_next;
    QLabel *m_progress;
    QPushButton *m_try;
    std::vector<QShortcut *> m_remotes; ///< keys of a presenter, while it is presented
    QString m_path;                     ///< of the page under resources/docs; empty: none
    std::optional<Tour> m_tour;         ///< absent for a page
    int m_step = 0;
    bool m_isPlaced = false;
};

} // namespace stagelens::ui
