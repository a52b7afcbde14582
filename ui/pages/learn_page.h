// The documentation inside the window: contents, cards, and one lesson at a time.
#pragma once

#include "engine/model/experiment.h"
#include "ui/learn/contents_list.h"
#include "ui/learn/tour.h"

#include <QWidget>

#include <optional>
#include <vector>

class QPushButton;
class QStackedWidget;

namespace stagelens::ui {

class CardList;
class EngineBridge;
class LessonView;

/// Reads resources/docs and resources/examples when it is shown first.
class LearnPage : public QWidget {
    Q_OBJECT
public:
    explicit LearnPage(EngineBridge *bridge, QWidget *parent = nullptr);
    /// Shows a page or a tour by its path under resources/docs ("schedules/1f1b.md", "tours/bubble.tour").
    void showPage(const QString &path);
    /// Shows the cards.
    void showOverview();
    /// Shows what was shown before.
    void goBack();
    void startSearch();
    /// Shows a tour that is no file of the documentation, such as a lecture.
    void showOwnTour(Tour tour);
    [[nodiscard]] LessonView *lesson() { return m_lesson; }
    /// Returns the parts that the keyboard walks through.
    [[nodiscard]] QList<QWidget *> panes() const;
    /// Hides the contents and enlarges the type.
    void setPresentation(bool on);

signals:
    void failed(const QString &sentence);
    /// The page of a schedule family or a vocabulary method is to be tried on the plan.
    void familyAsked(const QString &family);
    void methodAsked(stagelens::model::VocabularyMethod method);
    /// The plan of a live picture is to become the experiment.
    void planAsked(const stagelens::model::Experiment &experiment, const QString &title);
    /// Runs that a tour has trained are to be compared.
    void compareAsked(const std::vector<qint64> &runs);

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void build();
    [[nodiscard]] QWidget *makeSide();
    /// Reads the contents, once.
    void fill();
    void show(const LearnEntry &entry);
    void showExample(const LearnEntry &entry);
    /// Notes where the reader was, for goBack().
    void leave();

    ContentsList *m_contents;
    QPushButton *m_goBack;
    QWidget *m_side = nullptr; ///< contents with the buttons above them
    QStackedWidget *m_stack;   ///< cards or a lesson
    CardList *m_cards;
    LessonView *m_lesson;
    std::optional<LearnEntry> m_here; ///< absent: the overview
    std::vector<std::optional<LearnEntry>> m_history;
    bool m_isGoingBack = false;
};

} // namespace stagelens::ui
