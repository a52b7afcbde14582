// `stagelens`: the window, and what it does without a display.
#pragma once

namespace stagelens::app {

/// Runs the program; the answer is its exit status (design/cli.md: 0 done, 1 failed, 2 wrong input).
int runApplication(int argc, char **argv);

} // namespace stagelens::app
