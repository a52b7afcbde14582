// The dialog that asks where to save a file that has several formats.
#pragma once

#include <QList>
#include <QString>

class QWidget;

namespace stagelens::ui {

/// A format that a file can be saved in.
struct SaveKind {
    QString filter; ///< of the dialog: "GIF animation (*.gif)"
    QString suffix; ///< of the file's name, without the dot
};

struct SaveChoice {
    QString file;         ///< empty: the dialog was cancelled
    qsizetype number = 0; ///< of the chosen kind
};

/// Asks where to save a file. The name's suffix follows the chosen filter, a name without a suffix gets that of the filter, and
/// a suffix of another kind that is typed chooses that kind. Blocks until the dialog is closed.
[[nodiscard]] SaveChoice askWhereToSave(QWidget *parent, const QString &title, const QString &name,
                                        const QList<SaveKind> &kinds);

} // namespace stagelens::ui
