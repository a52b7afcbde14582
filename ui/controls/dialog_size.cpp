#include "ui/controls/dialog_size.h"

#include <QScreen>
#include <QWidget>

namespace stagelens::ui {

void resizeWithinScreen(QWidget &dialog, QSize wanted)
{
    constexpr QSize kFrame{60, 100};
    dialog.resize(wanted.boundedTo(dialog.screen()->availableSize() - kFrame));
}

} // namespace stagelens::ui
