// The picker of a chip whose field is a choice.
#pragma once

#include "ui/state/fields.h"

#include <QMenu>

namespace stagelens::ui {

class ExperimentDocument;

/// The field's choices; the one of the document is ticked.
class ChoiceMenu : public QMenu {
    Q_OBJECT
public:
    ChoiceMenu(const Field &field, ExperimentDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] const Field &field() const { return m_field; }
    /// Entries below the choices.
    void addExtra(QAction *action);

signals:
    void chosen(const QString &value);

private:
    void fill();
    void choose(const QString &value);

    Field m_field;
    ExperimentDocument *m_document;
    QList<QAction *> m_extra;
};

} // namespace stagelens::ui
