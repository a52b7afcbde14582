// Every command of the window, with its words, keys and place in the menus.
#pragma once

#include <QAction>
#include <QObject>

class QActionGroup;
class QMenu;
class QMenuBar;

namespace stagelens::ui {

/// The actions of one window. MainWindow connects them.
class WindowActions : public QObject {
    Q_OBJECT
public:
    explicit WindowActions(QAction *undo, QAction *redo, QObject *parent = nullptr);
    /// Fills the bar; `panels` are the docks' own actions.
    void fill(QMenuBar *bar, const QList<QAction *> &panels);

    QAction *newExperiment;
    QAction *open;
    QAction *save;
    QAction *saveAs;
    QAction *exportPng;
    QAction *exportSvg;
    QAction *exportPdf;
    QAction *exportTrace;
    QAction *exportCsv;
    QAction *exportJson;
    QList<QAction *> exportLaunch; ///< a framework each; its data is the format
    QAction *quit;
    QAction *undo;
    QAction *redo;
    QAction *copyPicture;
    QAction *pinBaseline;
    QAction *unpinBaseline;
    QAction *levers;
    QAction *searchSchedules;
    QAction *shapes; ///< divisions of the plan's GPUs
    QAction *topology;
    QAction *applyAdvice;
    QAction *importModel; ///< a config.json of Hugging Face
    QAction *calibrate;
    QAction *copyHardware; ///< a cluster of the user, from the plan's hardware
    QAction *settings;     ///< every field, in a dock
    QAction *editSchedule; ///< the text beside the picture, and passes that can be moved
    QAction *openSchedule;
    QAction *costsFromRun;
    QAction *writeSchedule;
    QAction *train;
    QAction *trainCopy; ///< enabled in the place of train, where the plan cannot run here
    QAction *stop;
    QAction *fit;
    QAction *explore;
    QAction *compare;
    QAction *sweep;
    QAction *learn;
    QAction *importRun;
    QAction *presentation;
    QAction *lecture;
    QAction *find;
    QAction *criticalPath;
    QAction *play;
    QAction *asTable;
    QAction *morph;         ///< from the baseline to this plan
    QActionGroup *colourBy; ///< in the order of ColourBy
    QActionGroup *lanes;    ///< what is shown below them, in the order of LaneDetail
    QActionGroup *modes;    ///< the pages of the window, each an action of the same order
    QAction *nextPane;
    QAction *systemAppearance;
    QAction *light;
    QAction *dark;
    QActionGroup *languages; ///< the first follows the desktop; each has its code as data
    QAction *keys;
    QAction *about;
    QMenu *recent = nullptr;
    QMenu *exports = nullptr; ///< the formats of a picture
    QMenu *dataExports = nullptr;
    QMenu *launchExports = nullptr; ///< of frameworks
    QMenu *examples = nullptr;

private:
    void makePictureActions();
    void makeLanguages();
    void makeScheduleActions();
    QAction *make(const QString &name, const QString &caption, const QKeySequence &key, const QString &tip);
};

/// The table of keys and mouse gestures, as rich text.
[[nodiscard]] QString keyTable();

} // namespace stagelens::ui
