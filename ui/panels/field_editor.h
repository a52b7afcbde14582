// One field of the experiment as a control with a caption.
#pragma once

#include "ui/state/fields.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;

namespace stagelens::ui {

class ExperimentDocument;

/// Shows the field's value in the document and edits it there, live. Editing goes through the document's undo.
class FieldEditor : public QWidget {
    Q_OBJECT
public:
    /// In a form, or a number inside a chip of the plan strip.
    enum class Look : unsigned char { Form, Chip };
    FieldEditor(const Field &field, ExperimentDocument *document, QWidget *parent = nullptr, Look look = Look::Form);

    [[nodiscard]] const Field &field() const { return m_field; }
    /// A new label whose buddy the control is.
    QLabel *makeCaption(QWidget *parent) const;
    /// The control itself, for tests and focus.
    [[nodiscard]] QWidget *control() const { return m_control; }
    /// Marks the control as wrong, with the reason as its tooltip; empty takes the mark away.
    void setProblem(const QString &problem);
    /// The detail beside a choice in the list ("219 ms · 60 MiB").
    void setDetail(const QString &choice, const QString &detail);
    void clearDetails();

signals:
    /// The pointer or the arrow keys are on a choice of the open list; empty when the list closes.
    void choiceHovered(const QString &value);
    /// A choice of the list was made, also the one that stood there before.
    void chosen(const QString &value);
    /// The person has left the field or pressed Return.
    void left();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeControl();
    QWidget *makeSpinBox();
    QWidget *makeChipNumber();
    QWidget *adoptNumber(QSpinBox *box);
    QWidget *makeRealBox();
    QWidget *makeChoice();
    QWidget *makeSize();
    QWidget *makeLine(bool browse);
    QWidget *makeFlag();
    void refresh();
    void commit(const QVariant &value);
    void finish();
    /// Shows the value from before the edit again; false if it is already shown.
    bool revert();

    Field m_field;
    Look m_look;
    ExperimentDocument *m_document;
    QWidget *m_control = nullptr;
    QComboBox *m_combo = nullptr;
    std::function<void(const QVariant &)> m_show; ///< puts a value into the control, without a signal
    QVariant m_shown;
};

} // namespace stagelens::ui
