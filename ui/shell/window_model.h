// What the widgets and controllers of one window share. The window owns it.
#pragma once

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class FileController;
class Forecast;
class RunController;
class RunDatabase;
class ViewState;
class WindowActions;

struct WindowModel {
    EngineBridge *bridge;
    ExperimentDocument *document;
    FileController *files;
    Forecast *forecast;
    RunDatabase *database;
    RunController *run;
    ViewState *view;
    WindowActions *actions;
};

} // namespace stagelens::ui
