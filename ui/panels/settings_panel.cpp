#include "ui/panels/settings_panel.h"

#include "ui/panels/experiment_editor.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

SettingsPanel::SettingsPanel(ExperimentDocument *document, QWidget *parent)
    : QWidget(parent), m_search(new QLineEdit(this)), m_hint(plainLabel(this)), m_editor(new ExperimentEditor(document, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(4);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(8, 0, 8, 0);
    row->addWidget(m_search);
    layout->addLayout(row);
    m_hint->setObjectName(u"settings.hint"_s);
    m_hint->setWordWrap(true);
    m_hint->setContentsMargins(8, 0, 8, 0);
    m_hint->hide();
    layout->addWidget(m_hint);
    layout->addWidget(m_editor, 1);
    m_search->setObjectName(u"settings.search"_s);
    m_search->setAccessibleName(Words::tr("Search settings"));
    m_search->setPlaceholderText(Words::tr("Search settings"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &SettingsPanel::filter);
}

void SettingsPanel::filter(const QString &words)
{
    m_editor->setFilter(words);
    const QString cluster = Words::tr("Bandwidths, latencies and other figures of a cluster: Hardware > Copy and edit…");
    if (!m_editor->finds())
        m_hint->setText(Words::tr("Nothing found. ") + cluster);
    else if (m_editor->findsCluster())
        m_hint->setText(cluster);
    m_hint->setVisible(!m_editor->finds() || m_editor->findsCluster());
}

bool SettingsPanel::reveal(const QString &field)
{
    m_search->clear();
    return m_editor->reveal(field);
}

void SettingsPanel::startSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

bool SettingsPanel::eventFilter(QObject *watched, QEvent *event)
{
    // Some desktops give a line of text Ctrl+E for its end; here it closes the settings that it opened.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(event)->key() == Qt::Key_E &&
        static_cast<QKeyEvent *>(event)->modifiers() == Qt::ControlModifier) {
        event->ignore();
        return true;
    }
    if (event->type() == QEvent::KeyPress && !m_search->text().isEmpty()) {
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter: m_editor->focusFirst(); return true;
        case Qt::Key_Escape: m_search->clear(); return true;
        default: break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace stagelens::ui
