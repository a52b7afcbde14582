// The picker of a chip whose field is a choice.
#pragma once

#include "ui/state/fields.h"

#include <QHash>
#include <QMenu>

namespace stagelens::ui {

class ExperimentDocument;

/// The field's choices with a figure beside each; the one of the document is ticked.
class ChoiceMenu : public QMenu {
    Q_OBJECT
public:
    ChoiceMenu(const Field &field, ExperimentDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] const Field &field() const { return m_field; }
    /// Entries below the choices.
    void addExtra(QAction *action);
    /// What is written beside a choice ("219 ms · 60 MiB").
    void setDetail(const QString &choice, const QString &detail);
    void clearDetails();
    [[nodiscard]] QString detail(const QString &choice) const { return m_details.value(choice); }

signals:
    /// The pointer or the arrow keys are on a choice; empty when the menu closes.
    void choiceHovered(const QString &value);
    void chosen(const QString &value);

private:
    void fill();
    void choose(const QString &value);

    Field m_field;
    ExperimentDocument *m_document;
    QList<QAction *> m_extra;
    QHash<QString, QString> m_details;
};

} // namespace stagelens::ui
