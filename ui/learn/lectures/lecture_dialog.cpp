#include "ui/learn/lectures/lecture_dialog.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/controls/dialog_size.h"
#include "ui/learn/slides.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr QSize kLectureSize{880, 560};

QString lectureKinds()
{
    return Words::tr("Lectures") + u" (*.%1)"_s.arg(QLatin1StringView(kLectureEnding));
}
} // namespace

LectureDialog::LectureDialog(EngineBridge *bridge, QWidget *parent)
    : QDialog(parent), m_title(new QLineEdit(this)), m_list(new QListWidget(this)), m_sceneTitle(new QLineEdit(this)),
      m_notes(new QPlainTextEdit(this)), m_status(plainLabel(this)),
      m_slides(new SlidesButton(Words::tr("S&lides…"), bridge, this))
{
    setObjectName(u"lecture"_s);
    setWindowTitle(Words::tr("Lecture"));
    build();
    resizeWithinScreen(*this, kLectureSize);
    connect(m_title, &QLineEdit::textEdited, this, [this](const QString &text) {
        m_lecture.title = text;
        changed();
    });
    connect(m_list, &QListWidget::currentRowChanged, this, &LectureDialog::showScene);
    connect(m_list, &QListWidget::itemActivated, this, [this] { present(current()); });
    connect(m_sceneTitle, &QLineEdit::textEdited, this, [this](const QString &text) {
        if (currentScene() == nullptr)
            return;
        currentScene()->title = text;
        m_list->currentItem()->setText(u"%1. %2"_s.arg(current() + 1).arg(text));
        changed();
    });
    connect(m_notes, &QPlainTextEdit::textChanged, this, [this] {
        if (LectureScene *scene = currentScene()) {
            scene->notes = m_notes->toPlainText();
            changed();
        }
    });
    fill(-1);
    say({Words::tr("Show a plan in the window, then add it here as a scene.")});
}

void LectureDialog::build()
{
    m_title->setObjectName(u"lecture.title"_s);
    m_title->setPlaceholderText(Words::tr("Title of the lecture"));
    m_title->setAccessibleName(Words::tr("Title of the lecture"));
    m_status->setObjectName(u"lecture.status"_s);
    m_status->setWordWrap(true);
    auto *splitter = new QSplitter(this);
    splitter->addWidget(makeList());
    splitter->addWidget(makeScene());
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(splitter, 1);
    layout->addWidget(m_status);
    layout->addWidget(makeButtons());
}

QPushButton *LectureDialog::makeButton(const QString &name, const QString &caption, const QString &tip,
                                       void (LectureDialog::*press)())
{
    auto *button = new QPushButton(caption, this);
    button->setObjectName(u"lecture."_s + name);
    button->setToolTip(plainTip(tip));
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, press);
    return button;
}

QWidget *LectureDialog::makeList()
{
    m_list->setObjectName(u"lecture.list"_s);
    m_list->setAccessibleName(Words::tr("Scenes in order"));
    auto *side = new QWidget(this);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    m_add = makeButton(u"add"_s, {},
                       Words::tr("The plan that the window shows, with its part of the time axis and its colours; or the "
                                 "morph, or all plans of Compare, while the window shows them"),
                       &LectureDialog::add);
    setShown(1);
    row->addWidget(m_add);
    m_up = makeButton(u"up"_s, Words::tr("&Up"), Words::tr("Shows the scene earlier"), &LectureDialog::moveUp);
    m_down = makeButton(u"down"_s, Words::tr("&Down"), Words::tr("Shows the scene later"), &LectureDialog::moveDown);
    m_remove =
        makeButton(u"remove"_s, Words::tr("&Remove"), Words::tr("Removes the scene from the lecture"), &LectureDialog::remove);
    for (QPushButton *button : {m_up, m_down, m_remove})
        row->addWidget(button);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(m_list, 1);
    column->addLayout(row);
    return side;
}

QWidget *LectureDialog::makeScene()
{
    m_sceneTitle->setObjectName(u"lecture.scene"_s);
    m_notes->setObjectName(u"lecture.notes"_s);
    m_notes->setAccessibleName(Words::tr("Notes"));
    m_notes->setPlaceholderText(Words::tr(
        "Notes beside the picture, as Markdown. {bubble}, {iteration} and {peak} are filled with the plan's figures."));
    m_notes->setTabChangesFocus(true);
    auto *side = new QWidget(this);
    auto *form = new QFormLayout(side);
    form->setContentsMargins(8, 0, 0, 0);
    form->setVerticalSpacing(8);
    form->setHorizontalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(Words::tr("Scene"), m_sceneTitle);
    form->addRow(Words::tr("Notes"), m_notes);
    return side;
}

QWidget *LectureDialog::makeButtons()
{
    auto *line = new QWidget(this);
    auto *row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(makeButton(u"open"_s, Words::tr("&Open…"), Words::tr("Another lecture in the place of this one"),
                              &LectureDialog::askOpen));
    m_unsaved = makeButton(u"unsaved"_s, Words::tr("U&nsaved lecture"),
                           Words::tr("Back to the lecture that is not saved in a file"), &LectureDialog::showDraft);
    m_unsaved->hide();
    row->addWidget(m_unsaved);
    row->addWidget(makeButton(u"save"_s, Words::tr("&Save as…"), Words::tr("From then on every change is written to the file"),
                              &LectureDialog::askSave));
    row->addStretch(1);
    m_slides->setObjectName(u"lecture.slides"_s);
    m_slides->setToolTip(plainTip(Words::tr("Every scene as a page of a PDF")));
    m_slides->setSource([this] { return tourOf(m_lecture); }, [] { return u"lecture.pdf"_s; });
    connect(m_slides, &SlidesButton::written, this,
            [this](const QString &file) { say({Words::tr("The slides are in %1.").arg(QDir::toNativeSeparators(file))}); });
    connect(m_slides, &SlidesButton::failed, this, [this](const QString &why) { say({why, true}); });
    m_present = makeButton(u"present"_s, Words::tr("&Present"),
                           Words::tr("Full screen from the first scene; PgDn and PgUp go on and back. A double click on a "
                                     "scene begins with it."),
                           &LectureDialog::presentAll);
    row->addWidget(m_slides);
    row->addWidget(m_present);
    return line;
}

int LectureDialog::current() const
{
    const int row = m_list->currentRow();
    return row < static_cast<int>(m_lecture.scenes.size()) ? row : -1;
}

LectureScene *LectureDialog::currentScene()
{
    return current() < 0 ? nullptr : &m_lecture.scenes[static_cast<std::size_t>(current())];
}

void LectureDialog::add()
{
    if (!m_source)
        return;
    int row = current(); // new scenes follow the selected one
    QString refused;
    for (LectureScene &scene : m_source()) {
        if (const base::Problems problems = sceneProblems(scene); problems.empty())
            m_lecture.scenes.insert(m_lecture.scenes.begin() + ++row, std::move(scene));
        else
            refused = Words::tr("%1 cannot be a scene. ").arg(scene.title) + sentence(problems.front());
    }
    if (row > current()) {
        fill(row);
        changed();
    }
    if (!refused.isEmpty()) {
        say({refused, true});
        return;
    }
    m_sceneTitle->setFocus();
    m_sceneTitle->selectAll();
}

void LectureDialog::setShown(std::size_t plans)
{
    m_add->setText(plans > 1 ? Words::tr("&Add these %1 plans").arg(plans) : Words::tr("&Add this plan"));
}

void LectureDialog::remove()
{
    const int row = current();
    if (row < 0)
        return;
    m_lecture.scenes.erase(m_lecture.scenes.begin() + row);
    fill(std::min(row, static_cast<int>(m_lecture.scenes.size()) - 1));
    changed();
}

void LectureDialog::shift(int by)
{
    const int row = current();
    const int to = row + by;
    if (row < 0 || to < 0 || to >= static_cast<int>(m_lecture.scenes.size()))
        return;
    std::swap(m_lecture.scenes[static_cast<std::size_t>(row)], m_lecture.scenes[static_cast<std::size_t>(to)]);
    fill(to);
    changed();
}

void LectureDialog::fill(int current)
{
    {
        const QSignalBlocker blocker(m_list);
        m_list->clear();
        for (std::size_t i = 0; i < m_lecture.scenes.size(); ++i)
            m_list->addItem(u"%1. %2"_s.arg(i + 1).arg(m_lecture.scenes[i].title));
        m_list->setCurrentRow(current);
        m_title->setText(m_lecture.title);
    }
    showScene();
}

void LectureDialog::showScene()
{
    const int row = current();
    const LectureScene *scene = currentScene();
    const bool isOne = scene != nullptr;
    const QSignalBlocker titleBlocker(m_sceneTitle);
    const QSignalBlocker notesBlocker(m_notes);
    m_sceneTitle->setText(isOne ? scene->title : QString());
    m_notes->setPlainText(isOne ? scene->notes : QString());
    for (QWidget *widget : std::initializer_list<QWidget *>{m_sceneTitle, m_notes, m_remove})
        widget->setEnabled(isOne);
    m_up->setEnabled(row > 0);
    m_down->setEnabled(isOne && row + 1 < static_cast<int>(m_lecture.scenes.size()));
    m_present->setEnabled(!m_lecture.scenes.empty());
    m_slides->setEnabled(!m_lecture.scenes.empty());
}

void LectureDialog::changed()
{
    say(m_file.write(m_lecture));
}

void LectureDialog::keepIn(const std::filesystem::path &draft)
{
    m_file.setDraft(draft);
    if (m_file.hasDraft())
        showDraft();
}

void LectureDialog::showDraft()
{
    const QString name = m_file.draftName();
    auto lecture = m_file.readDraft();
    if (!lecture) {
        say({notOpened(name, lecture.error()), true});
        return;
    }
    display(*std::move(lecture));
    say({Words::tr("This lecture is not saved in a file yet: choose one with Save as.")});
}

void LectureDialog::display(Lecture lecture)
{
    m_lecture = std::move(lecture);
    m_unsaved->setVisible(!m_file.name().isEmpty() && m_file.hasDraft());
    fill(m_lecture.scenes.empty() ? -1 : 0);
}

void LectureDialog::openFile(const QString &file)
{
    auto lecture = m_file.read(file);
    if (!lecture) {
        say({notOpened(file, lecture.error()), true});
        return;
    }
    display(*std::move(lecture));
    say({Words::tr("Opened %1. Every change is written to it.").arg(QFileInfo(file).fileName())});
}

void LectureDialog::saveAs(const QString &file)
{
    say(m_file.writeAs(m_lecture, file));
}

void LectureDialog::askOpen()
{
    const QString file = QFileDialog::getOpenFileName(this, Words::tr("Open a lecture"), {}, lectureKinds());
    if (!file.isEmpty())
        openFile(file);
}

void LectureDialog::askSave()
{
    const QString name = file().isEmpty() ? u"lecture.%1"_s.arg(QLatin1StringView(kLectureEnding)) : file();
    const QString chosen = QFileDialog::getSaveFileName(this, Words::tr("Save the lecture"), name, lectureKinds());
    if (!chosen.isEmpty())
        saveAs(chosen);
}

void LectureDialog::present(int scene)
{
    if (!m_lecture.scenes.empty())
        emit presentAsked(tourOf(m_lecture), std::max(scene, 0));
}

void LectureDialog::say(const Kept &what)
{
    QPalette ink = palette();
    if (what.isWrong)
        ink.setColor(QPalette::WindowText, coloursFor(ink).alarm);
    m_status->setPalette(ink);
    m_status->setText(what.sentence);
}

} // namespace stagelens::ui
