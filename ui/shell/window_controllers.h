// The controllers of a window, and how they are connected.
#pragma once

#include "ui/shell/window_model.h"
#include "ui/shell/window_widgets.h"

#include <QObject>

#include <memory>

namespace stagelens::ui {

class CalibrationController;
class ClusterController;
class CompareController;
class ExportController;
class FieldController;
class ImportController;
class LectureController;
class LeversController;
class MeasuredController;
class NoticeController;
class PageController;
class PaneController;
class PlanController;
class ProblemController;
class RunTableController;
class ScheduleController;
class ScheduleFileController;
class SearchController;
class SensitivityController;
class ShapeController;
class StoreController;
class TrainingController;

/// Creates and connects them. Destroyed before the widgets and the model that they listen to.
class WindowControllers : public QObject {
    Q_OBJECT
public:
    WindowControllers(QMainWindow *window, const WindowModel &model, const WindowWidgets &widgets, bool remember);
    ~WindowControllers() override;

    std::unique_ptr<NoticeController> notice;
    std::unique_ptr<PlanController> plan;
    std::unique_ptr<ProblemController> problems;
    std::unique_ptr<FieldController> fields;
    std::unique_ptr<TrainingController> training;
    std::unique_ptr<MeasuredController> measured;
    std::unique_ptr<RunTableController> runTable;
    std::unique_ptr<StoreController> store;
    std::unique_ptr<ImportController> imports;
    std::unique_ptr<ExportController> exports;
    std::unique_ptr<ClusterController> cluster;
    std::unique_ptr<CalibrationController> calibration;
    std::unique_ptr<SearchController> search;
    std::unique_ptr<LeversController> levers;
    std::unique_ptr<ShapeController> shapes;
    std::unique_ptr<LectureController> lecture;
    std::unique_ptr<CompareController> compare;
    std::unique_ptr<ScheduleController> schedule;
    std::unique_ptr<ScheduleFileController> scheduleFiles;
    std::unique_ptr<SensitivityController> sensitivity;
    std::unique_ptr<PaneController> panes;
    std::unique_ptr<PageController> pages;

private:
    void make(QMainWindow *window, bool remember);
    void connectModel();
    void connectPlan();
    void connectRuns(bool remember);
    void connectNotices();

    WindowModel m_model;
    WindowWidgets m_widgets;
};

} // namespace stagelens::ui
