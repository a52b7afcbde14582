#include "ui/pages/learn_page.h"
#include "ui/words/plain_text.h"

#include "engine/base/file.h"
#include "engine/model/names.h"
#include "ui/canvas/design.h"
#include "ui/controls/enlarge.h"
#include "ui/learn/card_list.h"
#include "ui/learn/challenge_bar.h"
#include "ui/learn/contents_list.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/page_browser.h"
#include "ui/learn/page_plans.h"
#include "ui/learn/slides.h"
#include "ui/panels/morph_panel.h"
#include "ui/state/experiment_document.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kContentsWidth = 230;
constexpr std::size_t kMostHistory = 100;
constexpr int kBesideFrom = 1000; ///< width in which text and picture stand beside each other

QDir resourceDir(const QString &folder)
{
    return QDir(qtText((base::resourceFolder() / utf8(folder)).string()));
}

/// "gpt-demo, vocabulary 8,192: 1F1B · 4 devices x 16 microbatches. Costs: this computer."
QString exampleWords(const model::Experiment &plan)
{
    const QString what =
        plan.hasModel ? Words::tr("%1, vocabulary %2").arg(qtText(plan.model.preset), countText(plan.model.vocabularySize))
                      : Words::tr("No model, only an order");
    return Words::tr("%1: %2. Costs: %3.").arg(what, planCaption(plan), costCaption(plan));
}

} // namespace

LearnPage::LearnPage(QWidget *parent)
    : QWidget(parent), m_contents(new ContentsList(this)), m_goBack(new QPushButton(Words::tr("◂ Back"), this)),
      m_stack(new QStackedWidget(this)), m_cards(new CardList(this)), m_text(new PageBrowser(this)),
      m_picture(new LessonPicture(this)), m_lesson(new QSplitter(this)), m_challenge(new ChallengeBar(this)), m_steps(nullptr),
      m_back(new QPushButton(Words::tr("◂ &Previous"), this)), m_next(new QPushButton(Words::tr("&Next ▸"), this)),
      m_progress(plainLabel(this)), m_try(new QPushButton(this))
{
    build();
    connect(m_contents, &ContentsList::chosen, this, &LearnPage::show);
    connect(m_cards, &CardList::chosen, this, &LearnPage::show);
    connect(m_goBack, &QPushButton::clicked, this, &LearnPage::goBack);
    connect(m_text, &PageBrowser::pageAsked, this,
            [this](const QString &file) { showPage(resourceDir(u"docs"_s).relativeFilePath(file)); });
    connect(m_try, &QPushButton::clicked, this, &LearnPage::tryPage);
    connect(m_picture, &LessonPicture::changed, this, &LearnPage::refill);
    connect(m_challenge, &ChallengeBar::solutionAsked, this, [this] {
        if (m_tour)
            m_picture->change(m_tour->steps[static_cast<std::size_t>(m_step)].solution, Words::tr("Solution"));
    });
    connect(m_picture, &LessonPicture::openAsked, this, &LearnPage::planAsked);
    for (const auto &[button, keys, by] :
         {std::tuple{m_back, Qt::CTRL | Qt::Key_PageUp, -1}, std::tuple{m_next, Qt::CTRL | Qt::Key_PageDown, 1}}) {
        connect(button, &QPushButton::clicked, this, [this, by] { showStep(m_step + by); });
        connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, button, &QPushButton::click);
        auto *remote = new QShortcut(QKeySequence(by < 0 ? Qt::Key_PageUp : Qt::Key_PageDown), this); // of a presenter
        remote->setEnabled(false);
        connect(remote, &QShortcut::activated, button, &QPushButton::click);
        m_remotes.push_back(remote);
    }
}

QWidget *LearnPage::makeSteps()
{
    auto *steps = new QWidget(this);
    m_back->setObjectName(u"learn.back"_s);
    m_back->setToolTip(u"Ctrl+PgUp"_s);
    m_next->setObjectName(u"learn.next"_s);
    m_next->setToolTip(u"Ctrl+PgDown"_s);
    m_progress->setObjectName(u"learn.progress"_s);
    auto *row = new QHBoxLayout(steps);
    row->setContentsMargins(12, 4, 12, 4);
    row->addWidget(m_back);
    row->addStretch(1);
    row->addWidget(m_progress);
    row->addStretch(1);
    auto *slides = new QPushButton(Words::tr("Slides…"), this);
    slides->setObjectName(u"learn.slides"_s);
    slides->setToolTip(Words::tr("Every step as a page of a PDF: its picture, and its text in large type"));
    connect(slides, &QPushButton::clicked, this, [this] {
        const QString name = QFileInfo(m_page).completeBaseName() + u".pdf"_s;
        const QString file = QFileDialog::getSaveFileName(window(), Words::tr("Export slides"), name, u"PDF (*.pdf)"_s);
        if (file.isEmpty())
            return;
        if (const auto written = exportSlides(file); !written)
            emit failed(sentence(written.error()));
    });
    row->addWidget(slides);
    row->addWidget(m_next);
    return steps;
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
    m_text->setObjectName(u"learn.text"_s);
    m_text->setFont(scaled(font(), TypeSize::Heading)); // long texts are read in it
    m_text->setAccessibleName(Words::tr("Page"));
    m_try->setObjectName(u"learn.try"_s);
    m_steps = makeSteps();
    auto *reading = new QWidget(this);
    auto *column = new QVBoxLayout(reading);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_text, 1);
    column->addWidget(m_challenge);
    column->addWidget(m_steps);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 8);
    row->addStretch(1);
    row->addWidget(m_try);
    column->addLayout(row);
    m_lesson->addWidget(reading);
    m_lesson->addWidget(m_picture);
    m_lesson->setChildrenCollapsible(false);
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
    for (QWidget *later : std::initializer_list<QWidget *>{m_try, m_steps, m_picture})
        later->hide();
}

void LearnPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_contents->isFilled())
        fill();
}

void LearnPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool beside = width() >= kBesideFrom;
    const Qt::Orientation way = beside ? Qt::Horizontal : Qt::Vertical;
    if (way == m_lesson->orientation() && m_lesson->property("placed").toBool())
        return;
    m_lesson->setProperty("placed", true);
    m_lesson->setOrientation(way);
    m_lesson->setSizes(beside ? QList<int>{400, 600} : QList<int>{450, 550});
}

void LearnPage::fill()
{
    m_contents->fill();
    m_cards->setEntries(m_contents->entries());
}

void LearnPage::showOverview()
{
    leave();
    m_here.reset();
    m_page.clear();
    m_tour.reset();
    m_contents->clearCurrent();
    m_stack->setCurrentWidget(m_cards);
    m_cards->setFocus(Qt::OtherFocusReason);
}

void LearnPage::leave()
{
    m_picture->stopPlaying();
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
    if (!m_contents->isFilled())
        fill();
    leave();
    m_here = entryOfPage(path);
    m_page = path;
    m_tour.reset();
    m_challenge->hide();
    m_steps->hide();
    m_stack->setCurrentWidget(m_lesson);
    if (path.endsWith(u".tour"_s)) {
        showTour(path);
    } else {
        const std::optional<LivePlan> plan = livePlanOfPage(path);
        m_picture->setVisible(plan.has_value());
        const QString file = resourceDir(u"docs"_s).filePath(path);
        m_text->showPage(file, !plan);
        if (plan)
            m_picture->showPlan(*plan, titleOfPage(file));
    }
    offer();
    m_contents->setCurrent(*m_here); // what was reached by a link, too
}

base::Result<> LearnPage::exportSlides(const QString &file) const
{
    return m_tour ? writeSlides(*m_tour, file) : base::Error::failed("no tour is shown");
}

void LearnPage::setPresentation(bool on)
{
    m_side->setVisible(!on);
    for (QShortcut *remote : m_remotes)
        remote->setEnabled(on);
    enlarge(*this, on);
    m_text->setFont(on ? font() : scaled(font(), TypeSize::Heading));
}

QList<QWidget *> LearnPage::panes() const
{
    return {m_contents->tree(), m_cards, m_text, m_picture->timeline(), m_picture->morph()->view()};
}

void LearnPage::showTour(const QString &path)
{
    showTour(readTour(base::resourceFolder() / "docs" / utf8(path)));
}

void LearnPage::showOwnTour(Tour tour)
{
    if (!m_contents->isFilled())
        fill();
    leave();
    m_here.reset();
    m_page.clear();
    m_challenge->hide();
    m_contents->clearCurrent();
    m_try->hide();
    m_stack->setCurrentWidget(m_lesson);
    showTour(std::move(tour));
}

void LearnPage::showTour(base::Result<Tour> tour)
{
    m_picture->setVisible(tour.ok());
    m_steps->setVisible(tour.ok() && tour->steps.size() > 1);
    if (tour) {
        m_tour = *std::move(tour);
        showStep(0);
        return;
    }
    QString why;
    for (const base::Problem &problem : tour.error().problems)
        why += u"- %1: %2\n"_s.arg(qtText(problem.field), sentence(problem));
    m_text->showText(Words::tr("# This tour cannot be shown\n\n%1").arg(why));
}

void LearnPage::showStep(int step)
{
    const int steps = m_tour ? static_cast<int>(m_tour->steps.size()) : 0;
    if (step < 0 || step >= steps)
        return;
    m_step = step;
    const TourStep &shown = m_tour->steps[static_cast<std::size_t>(step)];
    m_back->setEnabled(step > 0);
    m_next->setEnabled(step + 1 < steps);
    m_progress->setText(Words::tr("%1 of %2").arg(step + 1).arg(steps));
    m_progress->setAccessibleName(Words::tr("Step %1 of %2").arg(step + 1).arg(steps));
    m_challenge->begin(shown);
    m_picture->showPlan(shown.plan, u"%1: %2"_s.arg(m_tour->title, shown.title)); // answers with refill()
    m_text->verticalScrollBar()->setValue(0);
}

void LearnPage::refill()
{
    if (!m_tour)
        return;
    const TourStep &step = m_tour->steps[static_cast<std::size_t>(m_step)];
    QString text = u"## %1\n\n%2"_s.arg(step.title, step.text.fill(m_picture->facts()));
    if (m_step == 0 && !m_tour->summary.isEmpty())
        text.prepend(u"*%1*\n\n"_s.arg(m_tour->summary));
    if (m_step == 0)
        text.prepend(u"# %1\n\n"_s.arg(m_tour->title));
    m_text->showText(text);
    m_challenge->follow(m_picture->facts(), !m_picture->hasFailed());
    QStringList untrue;
    for (const CheckedClaim &claim : step.claims)
        if (!claim.claim.holds(m_picture->facts().lookup()).value_or(false))
            untrue << claim.words;
    m_picture->setNote(untrue.isEmpty() || !m_picture->isChanged()
                           ? QString()
                           : Words::tr("With your change this is no longer so: %1.").arg(untrue.join(u"; "_s)));
}

void LearnPage::showExample(const LearnEntry &entry)
{
    leave();
    m_here = entry;
    m_stack->setCurrentWidget(m_lesson);
    m_contents->setCurrent(entry);
    const auto plan = livePlanOfExample(entry.path);
    m_page.clear();
    m_tour.reset();
    m_challenge->hide();
    m_steps->hide();
    m_try->hide(); // the picture has its own way to Explore
    m_picture->setVisible(plan.ok());
    if (!plan) {
        m_text->showText(u"# %1\n\n%2"_s.arg(entry.title, sentence(plan.error())));
        return;
    }
    m_text->showText(
        Words::tr("# %1\n\n%2\n\nChange it here, or open it in Explore. There it replaces your plan; Undo restores "
                  "yours.")
            .arg(entry.title, exampleWords(plan->experiment)));
    m_picture->showPlan(*plan, entry.title);
}

void LearnPage::tryPage()
{
    const QString name = QFileInfo(m_page).completeBaseName();
    if (const auto method = model::parse<model::VocabularyMethod>(utf8(name)); m_page.startsWith(u"vocabulary/"_s) && method)
        emit methodAsked(*method);
    else if (m_page.startsWith(u"schedules/"_s))
        emit familyAsked(name);
}

void LearnPage::offer()
{
    const QString name = QFileInfo(m_page).completeBaseName();
    const auto method = model::parse<model::VocabularyMethod>(utf8(name));
    const bool isMethod = m_page.startsWith(u"vocabulary/"_s) && method;
    const bool isFamily = m_page.startsWith(u"schedules/"_s);
    m_try->setVisible(isMethod || isFamily);
    m_try->setToolTip(Words::tr("Sets it in your plan; Undo restores the former one"));
    if (isMethod || isFamily)
        m_try->setText(
            Words::tr("Try %1 on my plan").arg(isMethod ? u"“%1”"_s.arg(shortName(*method)) : familyCaption(utf8(name))));
}

} // namespace stagelens::ui
