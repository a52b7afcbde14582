// Opening, saving and remembering experiments. The session file restores unsaved changes after a crash.
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

/// Returns the settings of the window (geometry, recent files), which are stored in the data folder.
[[nodiscard]] std::unique_ptr<QSettings> windowSettings();

class FileController : public QObject {
    Q_OBJECT
public:
    /// Without `remember` it neither reads nor writes the data folder.
    FileController(ExperimentDocument *document, bool remember, QWidget *window);

    /// Opens the file, else the last session's experiment, else the demo, else the default plan.
    void start(const QString &file);
    /// Opens an experiment, a model's config.json, a schedule or a trace; the content tells which it is.
    void openFile(const QString &file);
    void openAsked();
    /// Lets the user choose a config.json and takes its model.
    void importModelAsked();
    /// Opens a copy of an example: saving does not overwrite it.
    void openExample(const QString &file);
    void save();
    void saveAs();
    void newExperiment();
    void fillRecent(QMenu *menu);
    void fillExamples(QMenu *menu);
    /// Writes the session file now.
    void flush();
    /// Tells whether the document is valid; only then is it stored for the next start.
    void setValid(bool valid) { m_isValid = valid; }

signals:
    /// The experiment of the last session is open again.
    void restored();
    void failed(const QString &sentence);
    void told(const QString &sentence);
    /// A file was opened that is a schedule or a trace.
    void scheduleGiven(const QString &file);
    void traceGiven(const QString &file);

private:
    void openModel(const QString &file);
    void remember(const QString &file);
    void saveTo(const QString &file);
    ExperimentDocument *m_document;
    bool m_remember;
    bool m_isValid = true;
    QWidget *m_window;
    QTimer m_autosave;
};

} // namespace stagelens::ui
