// What fills MainWindow's centre: its four modes.
#include "engine/model/family_shape.h"
#include "ui/bridge/words.h"
#include "ui/models/experiment_document.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/file_desk.h"
#include "ui/shell/learn_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/window_actions.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QStackedWidget>
#include <QToolButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

QWidget *MainWindow::makeModeSwitch()
{
    auto *modes = new QWidget(m_menuBar);
    auto *row = new QHBoxLayout(modes);
    row->setContentsMargins(0, 2, 8, 2);
    row->setSpacing(0);
    for (QAction *mode : m_actions->modes->actions()) {
        auto *button = new QToolButton(modes);
        button->setObjectName(u"mode."_s + mode->objectName().section(u'.', 1));
        button->setDefaultAction(mode);
        button->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(button);
    }
    return modes;
}

void MainWindow::connectModes()
{
    connect(m_actions->modes, &QActionGroup::triggered, this,
            [this](QAction *mode) { m_pages->setCurrentIndex(static_cast<int>(m_actions->modes->actions().indexOf(mode))); });
    connect(m_learn, &LearnPage::familyAsked, this, &MainWindow::showFamily);
    connect(m_learn, &LearnPage::methodAsked, this, [this](model::VocabularyMethod method) {
        apply(method);
        m_actions->explore->trigger();
    });
    connect(m_learn, &LearnPage::exampleAsked, this, [this](const QString &file) {
        m_files->openExample(file);
        m_actions->explore->trigger();
    });
}

void MainWindow::showFamily(const QString &family)
{
    model::Experiment next = m_document->experiment();
    model::chooseFamily(next.schedule, utf8(family));
    next.parallel.stageLayers.clear();
    m_document->closeGesture();
    m_document->edit(u"schedule.family"_s, u"Schedule"_s, std::move(next));
    m_document->closeGesture();
    m_actions->explore->trigger();
}

} // namespace stagelens::ui
