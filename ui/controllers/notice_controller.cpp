#include "ui/controllers/notice_controller.h"

#include "ui/words/tr.h"

#include <QApplication>
#include <QTimer>
#include <QUndoStack>

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kNoteMilliseconds = 15'000; ///< a note covers a part of the page no longer
} // namespace

NoticeController::NoticeController(MessageBar *bar, QUndoStack *undo) : m_bar(bar), m_undo(undo)
{
    connect(m_undo, &QUndoStack::indexChanged, this, [this] { m_bar->clear(m_undoMessage); });
}

MessageBar::Action NoticeController::dismiss()
{
    return {Words::tr("Dismiss"), [this] { m_bar->clear(); }};
}

MessageBar::Action NoticeController::clearing(const MessageBar::Action &action)
{
    return {action.caption, [this, run = action.run] {
                m_bar->clear();
                run();
            }};
}

void NoticeController::warn(const QString &sentence)
{
    say(MessageBar::Tone::Warning, sentence);
}

void NoticeController::warnUntilEdit(const QString &sentence)
{
    m_undoMessage = m_bar->say(MessageBar::Tone::Warning, sentence, {dismiss()});
}

void NoticeController::warnUntilRunEnds(const QString &sentence, std::vector<MessageBar::Action> actions)
{
    if (actions.empty())
        actions.push_back(dismiss());
    m_runMessage = m_bar->say(MessageBar::Tone::Warning, sentence, std::move(actions));
}

void NoticeController::clearRunWarning()
{
    m_bar->clear(m_runMessage);
}

void NoticeController::say(MessageBar::Tone tone, const QString &sentence, const MessageBar::Action &action)
{
    std::vector<MessageBar::Action> actions;
    if (action.run)
        actions.push_back(clearing(action));
    actions.push_back(dismiss());
    const int message = m_bar->say(tone, sentence, std::move(actions));
    if (tone == MessageBar::Tone::Note)
        expire(message);
}

void NoticeController::expire(int message)
{
    QTimer::singleShot(kNoteMilliseconds, this, [this, message] {
        if (m_bar->underMouse() || m_bar->isAncestorOf(QApplication::focusWidget()))
            expire(message); // not while it is read or chosen from
        else
            m_bar->clear(message);
    });
}

void NoticeController::offer(const QString &sentence, const std::vector<MessageBar::Action> &actions)
{
    std::vector<MessageBar::Action> all;
    for (const MessageBar::Action &action : actions)
        all.push_back(clearing(action));
    m_bar->say(MessageBar::Tone::Note, sentence, std::move(all));
}

void NoticeController::offerUndo(const QString &words, const QString &button)
{
    m_undoMessage = m_bar->say(MessageBar::Tone::Note, words, {{button, [this] { m_undo->undo(); }}, dismiss()});
    expire(m_undoMessage);
}

bool NoticeController::change(const QString &text, const QString &next)
{
    const bool isSaid = !text.isEmpty() && m_bar->text() == text;
    if (isSaid)
        m_bar->setText(next);
    return isSaid;
}

void NoticeController::clear(const QString &text)
{
    if (m_bar->text() == text)
        m_bar->clear();
}

} // namespace stagelens::ui
