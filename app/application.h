// `stagelens`: the window, and what it does without a display.
#pragma once

namespace stagelens::app {

/// Runs the program. Returns its exit status: 0 on success, 1 if the work failed, 2 if the input is wrong.
int runApplication(int argc, char **argv);

} // namespace stagelens::app
