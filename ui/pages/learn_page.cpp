#include "ui/pages/learn_page.h"
#include "ui/words/plain_text.h"

#include "engine/base/file.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "ui/controls/enlarge.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/page_browser.h"
#include "ui/learn/page_plans.h"
#include "ui/state/experiment_document.h"
#include "ui/words/words.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTreeWidget>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPathRole = Qt::UserRole;
constexpr int kExampleRole = Qt::UserRole + 1;
constexpr int kContentsWidth = 230;
constexpr int kWidestContents = 330;
constexpr int kContentsMargin = 20; ///< for its scroll bar
constexpr int kBesideFrom = 1000;   ///< width in which text and picture stand beside each other

QDir resourceDir(const QString &folder)
{
    return QDir(qtText((base::resourceFolder() / utf8(folder)).string()));
}

/// The first heading of a page.
QString titleOf(const QString &file)
{
    QFile page(file);
    if (!page.open(QIODevice::ReadOnly))
        return QFileInfo(file).baseName();
    const QString line = QString::fromUtf8(page.readLine()).trimmed();
    return line.startsWith(u"# "_s) ? line.mid(2) : QFileInfo(file).baseName();
}

/// "gpt-demo, vocabulary 8,192: 1F1B · 4 devices x 16 microbatches. Costs: this computer."
QString exampleWords(const model::Experiment &plan)
{
    const QString what = plan.hasModel
                             ? u"%1, vocabulary %2"_s.arg(qtText(plan.model.preset), countText(plan.model.vocabularySize))
                             : u"No model, only an order"_s;
    return u"%1: %2. Costs: %3."_s.arg(what, planCaption(plan), costCaption(plan));
}

} // namespace

LearnPage::LearnPage(QWidget *parent)
    : QWidget(parent), m_contents(new QTreeWidget(this)), m_text(new PageBrowser(this)), m_picture(new LessonPicture(this)),
      m_lesson(new QSplitter(this)), m_steps(nullptr), m_back(new QPushButton(u"◂ &Back"_s, this)),
      m_next(new QPushButton(u"&Next ▸"_s, this)), m_progress(plainLabel(this)), m_try(new QPushButton(this))
{
    build();
    connect(m_contents, &QTreeWidget::currentItemChanged, this, &LearnPage::choose);
    connect(m_text, &PageBrowser::pageAsked, this,
            [this](const QString &file) { showPage(resourceDir(u"docs"_s).relativeFilePath(file)); });
    connect(m_try, &QPushButton::clicked, this, &LearnPage::tryPage);
    connect(m_picture, &LessonPicture::changed, this, &LearnPage::refill);
    connect(m_picture, &LessonPicture::openAsked, this, &LearnPage::planAsked);
    for (const auto &[button, keys, by] :
         {std::tuple{m_back, Qt::CTRL | Qt::Key_PageUp, -1}, std::tuple{m_next, Qt::CTRL | Qt::Key_PageDown, 1}}) {
        connect(button, &QPushButton::clicked, this, [this, by] { showStep(m_step + by); });
        connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, button, &QPushButton::click);
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
    row->addWidget(m_next);
    return steps;
}

void LearnPage::build()
{
    m_contents->setObjectName(u"learn.contents"_s);
    m_contents->setAccessibleName(u"Contents"_s);
    m_contents->setHeaderHidden(true);
    m_contents->setFrameShape(QFrame::NoFrame);
    m_text->setObjectName(u"learn.text"_s);
    m_text->setAccessibleName(u"Page"_s);
    m_try->setObjectName(u"learn.try"_s);
    m_steps = makeSteps();
    auto *reading = new QWidget(this);
    auto *column = new QVBoxLayout(reading);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_text, 1);
    column->addWidget(m_steps);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(12, 6, 12, 6);
    row->addStretch(1);
    row->addWidget(m_try);
    column->addLayout(row);
    m_lesson->addWidget(reading);
    m_lesson->addWidget(m_picture);
    m_lesson->setChildrenCollapsible(false);
    auto *splitter = new QSplitter(this);
    splitter->addWidget(m_contents);
    splitter->addWidget(m_lesson);
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
    if (m_contents->topLevelItemCount() == 0) {
        fill();
        showPage(u"tutorials/first-steps.md"_s);
    }
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
    addFolder(u"Start here"_s, {},
              {u"tutorials/first-steps.md"_s, u"the-window.md"_s, u"tutorials/comparing.md"_s, u"understanding-the-bubble.md"_s,
               u"command-line.md"_s, u"glossary.md"_s});
    addFolder(u"Tours"_s, u"tours/"_s, resourceDir(u"docs/tours"_s).entryList({u"*.tour"_s}, QDir::Files, QDir::Name));
    auto *examples = new QTreeWidgetItem(m_contents, {u"Examples"_s});
    examples->setFlags(Qt::ItemIsEnabled);
    for (const QFileInfo &file : resourceDir(u"examples"_s).entryInfoList({u"*.stagelens.json"_s}, QDir::Files, QDir::Name)) {
        auto *item = new QTreeWidgetItem(examples, {titleOfFile(file.filePath())});
        item->setToolTip(0, plainTip(item->text(0)));
        item->setData(0, kExampleRole, file.filePath());
    }
    QStringList methods;
    for (const char16_t *name : {u"none", u"redis", u"vocab-naive", u"vocab-1", u"vocab-2", u"arithmetic"})
        methods << u"vocabulary/"_s + QString::fromUtf16(name) + u".md"_s;
    addFolder(u"Vocabulary layers"_s, {}, methods);
    QStringList families;
    for (const auto &family : schedule::families())
        families << qtText(family.name) + u".md"_s;
    families << u"auto.md"_s;
    addFolder(u"Schedules"_s, u"schedules/"_s, families);
    addFolder(u"Training for real"_s, {},
              {u"models.md"_s, u"memory.md"_s, u"sensitivity.md"_s, u"checkpoints.md"_s, u"training-on-gpus.md"_s,
               u"several-machines.md"_s});
    QStringList more{u"custom-schedules.md"_s, u"measurements.md"_s, u"gpu-kernels.md"_s, u"architecture.md"_s};
    for (const QString &name : resourceDir(u"docs/decisions"_s).entryList({u"0*.md"_s}, QDir::Files, QDir::Name))
        more << u"decisions/"_s + name;
    QTreeWidgetItem *works = addFolder(u"How Stagelens works"_s, {}, more);
    m_contents->expandAll();
    m_contents->setMinimumWidth(
        std::min(kWidestContents, static_cast<QAbstractItemView *>(m_contents)->sizeHintForColumn(0) + kContentsMargin));
    works->setExpanded(false);
}

QTreeWidgetItem *LearnPage::addFolder(const QString &caption, const QString &folder, const QStringList &names)
{
    auto *group = new QTreeWidgetItem(m_contents, {caption});
    group->setFlags(Qt::ItemIsEnabled);
    const QDir docs = resourceDir(u"docs"_s);
    for (const QString &name : names) {
        if (!docs.exists(folder + name))
            continue;
        auto *item = new QTreeWidgetItem(group, {titleOf(docs.filePath(folder + name))});
        item->setToolTip(0, plainTip(item->text(0)));
        item->setData(0, kPathRole, folder + name);
    }
    return group;
}

void LearnPage::showPage(const QString &path)
{
    m_page = path;
    m_tour.reset();
    m_steps->hide();
    if (path.endsWith(u".tour"_s)) {
        showTour(path);
    } else {
        const std::optional<LivePlan> plan = livePlanOfPage(path);
        m_picture->setVisible(plan.has_value());
        const QString file = resourceDir(u"docs"_s).filePath(path);
        m_text->showPage(file, !plan);
        if (plan)
            m_picture->showPlan(*plan, titleOf(file));
    }
    offer();
    // What was reached by a link is current in the contents as well.
    for (QTreeWidgetItemIterator at(m_contents); *at; ++at)
        if ((*at)->data(0, kPathRole).toString() == path)
            m_contents->setCurrentItem(*at);
}

void LearnPage::setPresentation(bool on)
{
    m_contents->setVisible(!on);
    enlarge(*this, on);
}

QList<QWidget *> LearnPage::panes() const
{
    return {m_contents, m_text, m_picture->timeline()};
}

void LearnPage::showTour(const QString &path)
{
    auto tour = readTour(base::resourceFolder() / "docs" / utf8(path));
    m_picture->setVisible(tour.ok());
    m_steps->setVisible(tour.ok());
    if (tour) {
        m_tour = *std::move(tour);
        showStep(0);
        return;
    }
    QString why;
    for (const base::Problem &problem : tour.error().problems)
        why += u"- %1: %2\n"_s.arg(qtText(problem.field), sentence(problem));
    m_text->showText(u"# This tour cannot be shown\n\n%1"_s.arg(why));
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
    m_progress->setText(u"%1 of %2"_s.arg(step + 1).arg(steps));
    m_progress->setAccessibleName(u"Step %1 of %2"_s.arg(step + 1).arg(steps));
    m_picture->showPlan(shown.plan, u"%1: %2"_s.arg(m_tour->title, shown.title)); // answers with refill()
    m_text->verticalScrollBar()->setValue(0);
}

void LearnPage::refill()
{
    if (!m_tour)
        return;
    const TourStep &step = m_tour->steps[static_cast<std::size_t>(m_step)];
    QString text = u"## %1\n\n%2"_s.arg(step.title, step.text.fill(m_picture->facts()));
    if (m_step == 0)
        text.prepend(u"# %1\n\n*%2*\n\n"_s.arg(m_tour->title, m_tour->summary));
    m_text->showText(text);
    QStringList untrue;
    for (const CheckedClaim &claim : step.claims)
        if (!claim.claim.holds(m_picture->facts().lookup()).value_or(false))
            untrue << claim.words;
    m_picture->setNote(untrue.isEmpty() || !m_picture->isChanged()
                           ? QString()
                           : u"With your change this is no longer so: %1."_s.arg(untrue.join(u"; "_s)));
}

void LearnPage::choose(QTreeWidgetItem *item)
{
    if (item == nullptr)
        return;
    if (const QString path = item->data(0, kPathRole).toString(); !path.isEmpty() && path != m_page)
        showPage(path);
    if (!item->data(0, kExampleRole).toString().isEmpty())
        showExample(item);
}

void LearnPage::showExample(QTreeWidgetItem *item)
{
    const QString title = item->text(0);
    const auto plan = livePlanOfExample(item->data(0, kExampleRole).toString());
    m_page.clear();
    m_tour.reset();
    m_steps->hide();
    m_try->hide(); // the picture has its own way to Explore
    m_picture->setVisible(plan.ok());
    if (!plan) {
        m_text->showText(u"# %1\n\n%2"_s.arg(title, sentence(plan.error())));
        return;
    }
    m_text->showText(u"# %1\n\n%2\n\nChange it here, or open it in Explore. There it replaces your plan; Undo restores "
                     "yours."_s.arg(title, exampleWords(plan->experiment)));
    m_picture->showPlan(*plan, title);
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
    m_try->setToolTip(u"Sets it in your plan; Undo restores the former one"_s);
    if (isMethod || isFamily)
        m_try->setText(u"Try %1 on my plan"_s.arg(isMethod ? u"“%1”"_s.arg(shortName(*method)) : familyCaption(utf8(name))));
}

} // namespace stagelens::ui
