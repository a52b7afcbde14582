#include "ui/controls/save_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// Returns the number of the kind for which `holds` is true, else -1.
template <class Predicate>
qsizetype numberOf(const QList<SaveKind> &kinds, Predicate holds)
{
    const auto at = std::find_if(kinds.begin(), kinds.end(), holds);
    return at == kinds.end() ? -1 : at - kinds.begin();
}

qsizetype kindOfName(const QList<SaveKind> &kinds, const QString &name)
{
    const QString suffix = QFileInfo(name).suffix();
    return numberOf(kinds, [&](const SaveKind &kind) { return kind.suffix.compare(suffix, Qt::CaseInsensitive) == 0; });
}

qsizetype kindOfFilter(const QList<SaveKind> &kinds, const QString &filter)
{
    return std::max<qsizetype>(numberOf(kinds, [&](const SaveKind &kind) { return kind.filter == filter; }), 0);
}

/// Gives the name in the dialog the suffix of the chosen filter. A dialog of the desktop does not do that, and Qt's own does it
/// only for a name that has a suffix.
void followFilter(QFileDialog &dialog, const QList<SaveKind> &kinds, const QString &filter)
{
    const SaveKind &kind = kinds[kindOfFilter(kinds, filter)];
    dialog.setDefaultSuffix(kind.suffix);
    const QStringList files = dialog.selectedFiles();
    if (files.isEmpty() || kindOfName(kinds, files.front()) < 0)
        return;
    const QString name = QFileInfo(files.front()).completeBaseName() + u'.' + kind.suffix;
    if (auto *field = dialog.findChild<QLineEdit *>(u"fileNameEdit"_s)) // selectFile() leaves a field with focus as it is
        field->setText(name);
    else
        dialog.selectFile(name);
}

} // namespace

SaveChoice askWhereToSave(QWidget *parent, const QString &title, const QString &name, const QList<SaveKind> &kinds)
{
    QFileDialog dialog(parent, title, QFileInfo(name).absolutePath());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    QStringList filters;
    for (const SaveKind &kind : kinds)
        filters << kind.filter;
    dialog.setNameFilters(filters);
    const qsizetype proposed = std::max<qsizetype>(kindOfName(kinds, name), 0);
    dialog.selectNameFilter(kinds[proposed].filter);
    dialog.setDefaultSuffix(kinds[proposed].suffix);
    dialog.selectFile(QFileInfo(name).fileName());
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog,
                     [&](const QString &filter) { followFilter(dialog, kinds, filter); });
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty())
        return {};
    const QString file = dialog.selectedFiles().front();
    const qsizetype chosen = kindOfFilter(kinds, dialog.selectedNameFilter());
    const qsizetype typed = kindOfName(kinds, file);
    const bool isOther = typed >= 0 && kinds[typed].suffix != kinds[chosen].suffix;
    return {file, isOther ? typed : chosen};
}

} // namespace stagelens::ui
