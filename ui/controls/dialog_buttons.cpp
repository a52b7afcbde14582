#include "ui/controls/dialog_buttons.h"

#include "ui/words/tr.h"

#include <QPushButton>

namespace stagelens::ui {

QDialogButtonBox *dialogButtons(QDialogButtonBox::StandardButton dismiss, QWidget *parent)
{
    auto *buttons = new QDialogButtonBox(dismiss, parent);
    buttons->button(dismiss)->setText(dismiss == QDialogButtonBox::Cancel ? Words::tr("Cancel") : Words::tr("Close"));
    return buttons;
}

} // namespace stagelens::ui
