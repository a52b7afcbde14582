// The text of a schedule with its faults at their place: a mark beside the line, a wave under the word, the reason on hover.
#pragma once

#include "engine/service/plans/schedule_text.h"

#include <QPlainTextEdit>

#include <vector>

namespace stagelens::ui {

class PassHighlighter;

/// Share of the alarm's colour in what tells of faults: their lines' margin and their list.
inline constexpr double kFaultTint = 0.18;

/// Has no undo of its own: the experiment's takes its place.
class ScheduleTextEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ScheduleTextEdit(QWidget *parent = nullptr);

    /// Another text than a person typed; cursor and scrolling stay where they were as far as they can.
    void showText(const QString &text);
    void setFaults(std::vector<service::TextFault> faults);
    /// Brings the cursor to a place, both from 1.
    void goTo(int line, int word);
    /// Lines that are marked, from 1; for tests and for whoever cannot see the marks.
    [[nodiscard]] std::vector<int> markedLines() const;

signals:
    /// A person has changed the text.
    void edited(const QString &text);
    /// The keyboard has gone elsewhere.
    void left();
    void escaped();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    [[nodiscard]] QTextCursor wordAt(int line, int word) const;
    [[nodiscard]] QString faultsAt(int line) const;
    void markWords();
    void placeMargin();
    void paintMargin();

    QWidget *m_margin;
    PassHighlighter *m_highlighter;
    std::vector<service::TextFault> m_faults;
    QString m_text;  ///< as it was last shown or told
    QString m_plain; ///< the same as the widget has it, which knows one kind of line end and of blank
    bool m_showing = false;
};

} // namespace stagelens::ui
