#include "ui/pages/learn_page.h"

#include "ui/controls/button_style.h"
#include "ui/controls/enlarge.h"
#include "ui/learn/card_list.h"
#include "ui/learn/contents_list.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/page_browser.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/lesson_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/tr.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kContentsWidth = 230;
constexpr std::size_t kMostHistory = 100;

} // namespace

LearnPage::LearnPage(EngineBridge *bridge, QWidget *parent)
    : QWidget(parent), m_contents(new ContentsList(this)),
      m_goBack(new QPushButton(glyphIcon(Glyph::Previous), Words::tr("Back"), this)), m_stack(new QStackedWidget(this)),
      m_cards(new CardList(bridge, this)), m_lesson(new LessonView(bridge, this))
{
    build();
    connect(m_contents, &ContentsList::chosen, this, &LearnPage::show);
    connect(m_cards, &CardList::chosen, this, &LearnPage::show);
    connect(m_goBack, &QPushButton::clicked, this, &LearnPage::goBack);
    connect(m_lesson, &LessonView::pageAsked, this, &LearnPage::showPage);
    connect(m_lesson, &LessonView::failed, this, &LearnPage::failed);
    connect(m_lesson, &LessonView::familyAsked, this, &LearnPage::familyAsked);
    connect(m_lesson, &LessonView::methodAsked, this, &LearnPage::methodAsked);
    connect(m_lesson, &LessonView::planAsked, this, &LearnPage::planAsked);
    connect(m_lesson, &LessonView::compareAsked, this, &LearnPage::compareAsked);
}

QWidget *LearnPage::makeSide()
{
    m_goBack->setObjectName(u"learn.history"_s);
    m_goBack->setToolTip(Words::tr("To the page before (Alt+Left)"));
    m_goBack->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
    m_goBack->setEnabled(false);
    auto *overview = new QPushButton(Words::tr("Overview"), this);
    overview->setObjectName(u"learn.overview"_s);
    overview->setToolTip(Words::tr("All scenes, tours and examples as cards"));
    connect(overview, &QPushButton::clicked, this, [this] {
        if (m_stack->currentWidget() != m_cards)
            showOverview();
    });
    auto *row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 0, 0);
    row->setSpacing(8);
    for (QPushButton *button : {m_goBack, overview}) {
        button->setAutoDefault(false);
        row->addWidget(button, 1);
    }
    auto *side = new QWidget(this);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_contents, 1);
    return side;
}

void LearnPage::build()
{
    m_stack->addWidget(m_cards);
    m_stack->addWidget(m_lesson);
    m_side = makeSide();
    auto *splitter = new QSplitter(this);
    splitter->addWidget(m_side);
    splitter->addWidget(m_stack);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({kContentsWidth, 900});
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
}

void LearnPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    fill();
}

void LearnPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_lesson->place(width());
}

void LearnPage::fill()
{
    if (m_contents->isFilled())
        return;
    m_contents->fill();
    m_cards->setEntries(m_contents->entries());
}

void LearnPage::showOverview()
{
    leave();
    m_here.reset();
    m_lesson->clear();
    m_contents->clearCurrent();
    m_stack->setCurrentWidget(m_cards);
    m_cards->setFocus(Qt::OtherFocusReason);
}

void LearnPage::leave()
{
    m_lesson->stopPlaying();
    if (m_isGoingBack)
        return;
    if (m_history.size() == kMostHistory)
        m_history.erase(m_history.begin());
    m_history.push_back(m_here);
    m_goBack->setEnabled(true);
}

void LearnPage::goBack()
{
    if (m_history.empty())
        return;
    const std::optional<LearnEntry> before = m_history.back();
    m_history.pop_back();
    m_isGoingBack = true;
    if (before)
        show(*before);
    else
        showOverview();
    m_isGoingBack = false;
    m_goBack->setEnabled(!m_history.empty());
}

void LearnPage::show(const LearnEntry &entry)
{
    if (m_here == entry && m_stack->currentWidget() == m_lesson)
        return;
    if (entry.kind == LearnEntry::Kind::Example)
        showExample(entry);
    else
        showPage(entry.path);
}

void LearnPage::startSearch()
{
    m_contents->startSearch();
}

void LearnPage::showPage(const QString &path)
{
    fill();
    leave();
    m_here = entryOfPage(path);
    m_stack->setCurrentWidget(m_lesson);
    m_lesson->showPage(path);
    m_contents->setCurrent(*m_here); // what was reached by a link, too
}

void LearnPage::showExample(const LearnEntry &entry)
{
    leave();
    m_here = entry;
    m_stack->setCurrentWidget(m_lesson);
    m_contents->setCurrent(entry);
    m_lesson->showExample(entry);
}

void LearnPage::showOwnTour(Tour tour)
{
    fill();
    leave();
    m_here.reset();
    m_contents->clearCurrent();
    m_stack->setCurrentWidget(m_lesson);
    m_lesson->showOwnTour(std::move(tour));
}

void LearnPage::setPresentation(bool on)
{
    m_side->setVisible(!on);
    enlarge(*this, on);
    m_lesson->setPresentation(on);
}

QList<QWidget *> LearnPage::panes() const
{
    LessonPicture *picture = m_lesson->picture();
    return {m_contents->tree(), m_cards, m_lesson->text(), picture->timeline(), picture->morph()->view()};
}

} // namespace stagelens::ui
