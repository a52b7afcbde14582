// Texts that may come from a file or a database, shown as they are: Qt takes whatever looks like a tag for markup, and markup
// makes it read files.
#pragma once

#include <QString>

class QLabel;
class QWidget;

namespace stagelens::ui {

/// A label whose texts are never markup. Labels are made by these alone; tests/lint/plain_text.sh says where not.
[[nodiscard]] QLabel *plainLabel(QWidget *parent);
[[nodiscard]] QLabel *plainLabel(const QString &text, QWidget *parent);
/// A label with markup of our own; what is put into it from outside must be escaped.
[[nodiscard]] QLabel *markupLabel(const QString &markup, QWidget *parent);
/// Labels that Qt makes itself, in its dialogs for files, take nothing for markup from now on, tooltips excepted.
void keepLabelsPlain();
/// A tooltip that reads as the text does.
[[nodiscard]] QString plainTip(const QString &text);

} // namespace stagelens::ui
