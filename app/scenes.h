// The scenes of `--screenshot`.
#pragma once

#include "engine/base/result.h"

#include <QString>

namespace stagelens::ui {
class MainWindow;
}

namespace stagelens::app {

/// "first-start, vocab-2, ..."
[[nodiscard]] QString sceneNames();
/// An error that lists the scenes unless there is one of this name. learn:PAGE and learn:TOUR#STEP open a page of Learn.
[[nodiscard]] base::Result<> checkScene(const QString &name);
/// Plays the scene in the window, and waits until the window is idle. `trained` and `compare` train for real.
[[nodiscard]] base::Result<> playScene(ui::MainWindow &window, const QString &name);

} // namespace stagelens::app
