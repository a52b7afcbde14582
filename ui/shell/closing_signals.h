// What ends the program from outside ends the window as its user would.
#pragma once

namespace stagelens::ui {

class MainWindow;

/// On SIGTERM, SIGINT or SIGHUP the window stops its run, which is stored as cancelled, and closes without a question; a second
/// signal ends the program at once. SIGHUP stays ignored under nohup. Call once, after the QApplication is made.
void closeOnSignals(MainWindow &window);

} // namespace stagelens::ui
