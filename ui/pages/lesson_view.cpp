#include "ui/pages/lesson_view.h"

#include "engine/model/names.h"
#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/learn/challenge_bar.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/page_browser.h"
#include "ui/learn/page_files.h"
#include "ui/learn/page_plans.h"
#include "ui/learn/slides.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>

#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kBesideFrom = 1000; ///< width of the page in which text and picture are beside each other

/// "gpt-demo, vocabulary 8,192: 1F1B · 4 devices × 16 microbatches. Costs: this computer."
QString exampleWords(const model::Experiment &plan)
{
    const QString what =
        plan.hasModel ? Words::tr("%1, vocabulary %2").arg(qtText(plan.model.preset), countText(plan.model.vocabularySize))
                      : Words::tr("No model, only an order");
    return Words::tr("%1: %2. Costs: %3.").arg(what, planCaption(plan), costCaption(plan));
}

/// What the goals of a challenge let a figure be at most; absent if none names it.
std::optional<base::Nanos> limitOf(const TourStep &step, std::string_view name, const Facts &facts)
{
    for (const CheckedClaim &goal : step.goals)
        if (const auto limit = goal.claim.limit(facts.lookup()); goal.claim.limits(name) && limit)
            return std::llround(*limit);
    return std::nullopt;
}

/// "Makespan 20 units, goal 18 units · 4 microbatches held, cap 3 · score 83 % (lower bound 15 units)".
QString scoreWords(const TourStep &step, const Facts &facts)
{
    const auto figure = [&facts](const char *name) { return facts.value(name).value_or(0); };
    const auto time = [&facts](double value) { return facts.written(value, FactForm::Time); };
    const double makespan = figure("makespan");
    if (makespan <= 0)
        return {};
    QStringList parts;
    if (const auto goal = limitOf(step, "makespan", facts))
        parts << Words::tr("Makespan %1, goal %2").arg(time(makespan), time(static_cast<double>(*goal)));
    const QString held = facts.written(figure("held"), FactForm::Count);
    const auto cap = limitOf(step, "held", facts);
    if (cap)
        parts << Words::tr("%1 microbatches held, cap %2").arg(held).arg(*cap);
    else
        parts << Words::tr("%1 microbatches held").arg(held);
    if (const double bound = figure("bound"); bound > 0 && cap && figure("held") > static_cast<double>(*cap))
        parts << Words::tr("no score above the cap (lower bound %1)").arg(time(bound));
    else if (bound > 0)
        parts << Words::tr("score %1 (lower bound %2)").arg(shareText(bound / makespan), time(bound));
    return parts.join(u" · "_s);
}

} // namespace

LessonView::LessonView(EngineBridge *bridge, QWidget *parent)
    : QSplitter(parent), m_text(new PageBrowser(this)), m_picture(new LessonPicture(bridge, this)),
      m_challenge(new ChallengeBar(this)), m_slides(new SlidesButton(Words::tr("Slides…"), bridge, this)),
      m_back(new QPushButton(glyphIcon(Glyph::Previous), Words::tr("&Previous"), this)),
      m_next(new QPushButton(glyphIcon(Glyph::Next), Words::tr("&Next"), this)), m_progress(plainLabel(this)),
      m_try(new QPushButton(this))
{
    build();
    connectParts();
}

void LessonView::connectParts()
{
    connect(m_text, &PageBrowser::pageAsked, this, &LessonView::pageAsked);
    connect(m_slides, &SlidesButton::failed, this, &LessonView::failed);
    connect(m_try, &QPushButton::clicked, this, &LessonView::tryPage);
    connect(m_picture, &LessonPicture::changed, this, &LessonView::refill);
    connect(m_challenge, &ChallengeBar::solutionAsked, this, [this] {
        if (!m_tour)
            return;
        const TourStep &step = m_tour->steps[static_cast<std::size_t>(m_step)];
        if (step.solvedOrder.isEmpty())
            m_picture->change(step.solution, Words::tr("Solution"));
        else
            m_picture->reorder(step.solvedOrder, Words::tr("Solution"));
    });
    connect(m_picture, &LessonPicture::openAsked, this, &LessonView::planAsked);
    connect(m_picture, &LessonPicture::compareAsked, this, &LessonView::compareAsked);
    for (const auto &[button, keys, by] :
         {std::tuple{m_back, Qt::CTRL | Qt::Key_PageUp, -1}, std::tuple{m_next, Qt::CTRL | Qt::Key_PageDown, 1}}) {
        connect(button, &QPushButton::clicked, this, [this, by] { showStep(m_step + by); });
        connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, button, &QPushButton::click);
        for (const Qt::Key key : {by < 0 ? Qt::Key_PageUp : Qt::Key_PageDown, by < 0 ? Qt::Key_Left : Qt::Key_Right}) {
            auto *remote = new QShortcut(QKeySequence(key), this); // of a presenter
            remote->setEnabled(false);
            connect(remote, &QShortcut::activated, button, &QPushButton::click);
            m_remotes.push_back(remote);
        }
    }
}

void LessonView::build()
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
    addWidget(reading);
    addWidget(m_picture);
    setChildrenCollapsible(false);
    for (QWidget *later : std::initializer_list<QWidget *>{m_try, m_steps, m_picture})
        later->hide();
}

QWidget *LessonView::makeSteps()
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
    m_slides->setObjectName(u"learn.slides"_s);
    m_slides->setToolTip(Words::tr("Every step as a page of a PDF: its picture, and its text in large type"));
    m_slides->setSource([this] { return m_tour.value_or(Tour()); },
                        [this] { return QFileInfo(m_path).completeBaseName() + u".pdf"_s; });
    row->addWidget(m_slides);
    row->addWidget(m_next);
    return steps;
}

void LessonView::place(int width)
{
    const bool beside = width >= kBesideFrom;
    const Qt::Orientation way = beside ? Qt::Horizontal : Qt::Vertical;
    if (way == orientation() && m_isPlaced)
        return;
    m_isPlaced = true;
    setOrientation(way);
    setSizes(beside ? QList<int>{400, 600} : QList<int>{450, 550});
}

void LessonView::clear()
{
    m_path.clear();
    m_tour.reset();
}

void LessonView::stopPlaying()
{
    m_picture->stopPlaying();
}

void LessonView::setPresentation(bool on)
{
    for (QShortcut *remote : m_remotes)
        remote->setEnabled(on);
    m_text->setFont(on ? font() : scaled(font(), TypeSize::Heading));
}

void LessonView::showPage(const QString &path)
{
    m_path = path;
    m_tour.reset();
    m_challenge->hide();
    m_steps->hide();
    if (path.endsWith(u".tour"_s)) {
        showTour(readTour(utf8(pageFile(path))));
    } else {
        const std::optional<LivePlan> plan = livePlanOfPage(path);
        m_picture->setVisible(plan.has_value());
        m_text->showPage(path, !plan);
        if (plan)
            m_picture->showPlan(*plan, titleOfPage(path));
    }
    offerTry();
}

void LessonView::showOwnTour(Tour tour)
{
    m_path.clear();
    m_challenge->hide();
    m_try->hide();
    showTour(std::move(tour));
}

void LessonView::showTour(base::Result<Tour> tour)
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

void LessonView::showStep(int step)
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

void LessonView::refill()
{
    if (!m_tour)
        return;
    const TourStep &step = m_tour->steps[static_cast<std::size_t>(m_step)];
    QString text = u"## %1\n\n%2"_s.arg(step.title, step.text.fill(m_picture->facts()));
    if (m_step == 0 && !m_tour->summary.isEmpty())
        text.prepend(u"*%1*\n\n"_s.arg(m_tour->summary));
    if (m_step == 0)
        text.prepend(u"# %1\n\n"_s.arg(m_tour->title));
    m_text->showText(text, m_path);
    m_challenge->follow(m_picture->facts(), !m_picture->hasFailed());
    if (step.plan.reorder)
        m_picture->setScore(scoreWords(step, m_picture->facts()), limitOf(step, "makespan", m_picture->facts()));
    m_picture->setNote(doubts(step));
}

QString LessonView::doubts(const TourStep &step) const
{
    const Lookup facts = m_picture->facts().lookup();
    QStringList untrue;
    for (const CheckedClaim &claim : step.claims)
        if (m_picture->isChanged() && !claim.claim.holds(facts).value_or(false))
            untrue << claim.words;
    for (const CheckedClaim &outcome : step.outcomes) // unknown before the runs are trained
        if (!outcome.claim.holds(facts).value_or(true))
            untrue << outcome.words;
    if (untrue.isEmpty())
        return {};
    const QString words = untrue.join(u"; "_s);
    return m_picture->isChanged() ? Words::tr("With your change this is no longer so: %1.").arg(words)
                                  : Words::tr("These runs turned out otherwise than the text says: %1.").arg(words);
}

void LessonView::showExample(const LearnEntry &example)
{
    const auto plan = livePlanOfExample(example.path);
    clear();
    m_challenge->hide();
    m_steps->hide();
    m_try->hide(); // the picture has its own way to Explore
    m_picture->setVisible(plan.ok());
    if (!plan) {
        m_text->showText(u"# %1\n\n%2"_s.arg(example.title, sentence(plan.error())));
        return;
    }
    m_text->showText(
        Words::tr("# %1\n\n%2\n\nChange it here, or open it in Explore. There it replaces your plan; Undo restores "
                  "yours.")
            .arg(example.title, exampleWords(plan->experiment)));
    m_picture->showPlan(*plan, example.title);
}

void LessonView::tryPage()
{
    const QString name = QFileInfo(m_path).completeBaseName();
    if (const auto method = model::parse<model::VocabularyMethod>(utf8(name)); m_path.startsWith(u"vocabulary/"_s) && method)
        emit methodAsked(*method);
    else if (m_path.startsWith(u"schedules/"_s))
        emit familyAsked(name);
}

void LessonView::offerTry()
{
    const QString name = QFileInfo(m_path).completeBaseName();
    const auto method = model::parse<model::VocabularyMethod>(utf8(name));
    const bool isMethod = m_path.startsWith(u"vocabulary/"_s) && method;
    const bool isFamily = m_path.startsWith(u"schedules/"_s);
    m_try->setVisible(isMethod || isFamily);
    m_try->setToolTip(Words::tr("Sets it in your plan; Undo restores the former one"));
    if (isMethod || isFamily)
        m_try->setText(
            Words::tr("Try %1 on my plan").arg(isMethod ? u"“%1”"_s.arg(shortName(*method)) : familyCaption(utf8(name))));
}

} // namespace stagelens::ui
