// The schedule as text, beside its picture.
#pragma once

#include "engine/service/plans/schedule_text.h"

#include <QFrame>

#include <vector>

class QLabel;
class QListWidget;

namespace stagelens::ui {

class ScheduleTextEdit;

/// A line that says what the order is, the text with its marks, and the faults in words. It only shows: ScheduleController
/// edits.
class SchedulePanel : public QFrame {
    Q_OBJECT
public:
    explicit SchedulePanel(QWidget *parent = nullptr);

    [[nodiscard]] ScheduleTextEdit *edit() { return m_edit; }
    /// What the order is: "This is 1F1B."
    void setWords(const QString &words);
    [[nodiscard]] QString words() const;
    void setFaults(const std::vector<service::TextFault> &faults);

signals:
    void closed();

protected:
    void changeEvent(QEvent *event) override;

private:
    void colour();

    QLabel *m_words;
    ScheduleTextEdit *m_edit;
    QListWidget *m_faults;
};

} // namespace stagelens::ui
