// The sentences above the pages of the window.
#pragma once

#include "ui/controls/message_bar.h"

#include <QObject>

class QUndoStack;

namespace stagelens::ui {

/// Shows one sentence at a time. The newest replaces the one before.
class NoticeController : public QObject {
    Q_OBJECT
public:
    NoticeController(MessageBar *bar, QUndoStack *undo);

    /// Shows a warning that can be dismissed.
    void warn(const QString &sentence);
    /// The same, until the next step of undo: what it says may be mended then.
    void warnUntilEdit(const QString &sentence);
    /// Shows a warning until the run ends, with a button to dismiss it if there are no other actions.
    void warnUntilRunEnds(const QString &sentence, std::vector<MessageBar::Action> actions = {});
    /// Hides the warning that holds only while a run is in progress.
    void clearRunWarning();
    /// Shows a message with an optional button beside Dismiss. Pressing it hides the message first.
    void say(MessageBar::Tone tone, const QString &sentence, const MessageBar::Action &action = {});
    /// Shows a message with these buttons alone. Each hides the message first.
    void offer(const QString &sentence, const std::vector<MessageBar::Action> &actions);
    /// Shows what was done, with a button that undoes it. The message ends with the next step of undo, which the button would
    /// otherwise apply to.
    void offerUndo(const QString &words, const QString &button);
    /// Hides the message if it has this text.
    void clear(const QString &text);
    /// Other words for what is being said, if that is still said; its buttons stay. Returns whether it was.
    bool change(const QString &text, const QString &next);

private:
    [[nodiscard]] MessageBar::Action dismiss();
    /// Hides a note after a while, unless the mouse or the keyboard is at it.
    void expire(int message);
    [[nodiscard]] MessageBar::Action clearing(const MessageBar::Action &action);

    MessageBar *m_bar;
    QUndoStack *m_undo;
    int m_undoMessage = 0; ///< of m_bar, which ends with the next step of undo; 0: none yet
    int m_runMessage = 0;
};

} // namespace stagelens::ui
