// The buttons at the foot of a dialog.
#pragma once

#include <QDialogButtonBox>

namespace stagelens::ui {

/// Returns a row of buttons with one that closes the dialog without a decision: Close, or Cancel where there is one to decide.
/// Qt's own captions need a translation of Qt, which many machines lack; these are ours.
[[nodiscard]] QDialogButtonBox *dialogButtons(QDialogButtonBox::StandardButton dismiss, QWidget *parent);

} // namespace stagelens::ui
