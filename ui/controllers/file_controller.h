// Opening, saving and remembering experiments; what is not saved comes back after a crash.
#pragma once

#include "engine/base/result.h"

#include <QObject>
#include <QStringList>
#include <QTimer>

#include <memory>

class QMenu;
class QSettings;
class QWidget;

namespace stagelens::ui {

class ExperimentDocument;

/// The window's memory (geometry, recent files) in the data folder.
[[nodiscard]] std::unique_ptr<QSettings> windowSettings();

class FileController : public QObject {
    Q_OBJECT
public:
    /// `remember` false: nothing is read from or written to the data folder.
    FileController(ExperimentDocument *document, bool remember, QWidget *window);

    /// The file, else the last session's experiment, else the demo, else the default plan.
    void start(const QString &file);
    /// An experiment, a model's config.json, a schedule or a trace, told by content.
    void openFile(const QString &file);
    void openAsked();
    /// Asks for a config.json and takes its model.
    void importModelAsked();
    /// An example is a beginning: saving does not overwrite it.
    void openExample(const QString &file);
    void save();
    void saveAs();
    void newExperiment();
    void fillRecent(QMenu *menu);
    void fillExamples(QMenu *menu);
    /// Writes the session file now if something has changed.
    void flush();
    /// The document is sound: worth coming back to.
    void setSound(bool sound) { m_sound = sound; }

signals:
    void failed(const QString &sentence);
    void told(const QString &sentence);
    /// Files that are no experiments, for those who know what to do with them.
    void scheduleGiven(const QString &file);
    void traceGiven(const QString &file);

private:
    void openModel(const QString &file);
    void remember(const QString &file);
    void saveTo(const QString &file);
    ExperimentDocument *m_document;
    bool m_remember;
    bool m_sound = true;
    QWidget *m_window;
    QTimer m_autosave;
};

} // namespace stagelens::ui
