// The scenes that show the documentation: learn, learn:PAGE, learn:TOUR#STEP and learn:TOUR#STEP+train, which trains the runs
// that the step offers.
#pragma once

#include "engine/base/result.h"

#include <QString>

namespace stagelens::ui {
class MainWindow;
}

namespace stagelens::app {

[[nodiscard]] bool isLearnScene(const QString &scene);
/// Returns which page or step of the scene does not exist.
[[nodiscard]] base::Result<> checkLearnScene(const QString &scene);
void playLearnScene(ui::MainWindow &window, const QString &scene);

} // namespace stagelens::app
