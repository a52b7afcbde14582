#include "ui/controllers/file_controller.h"
#include "ui/words/plain_text.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/model/experiment_json.h"
#include "engine/model/schema.h"
#include "engine/service/plans/given_file.h"
#include "ui/state/experiment_document.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>

#include <filesystem>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kAutosaveMilliseconds = 500;
constexpr int kRecentFiles = 8;
const QString kChanged = u"changed"_s; // of the settings: the session's plan is not the example or new plan that it was

QString experimentFilter()
{
    return Words::tr("Experiments (*.stagelens.json);;All files (*)");
}
QString openFilter()
{
    return Words::tr("Experiments, models, schedules (*.stagelens.json config.json *.csv *.txt);;All files (*)");
}

std::filesystem::path sessionFile()
{
    return base::dataFolder() / "session.stagelens.json";
}

QDir exampleFolder()
{
    return QDir(qtText((base::resourceFolder() / "examples").string()));
}

} // namespace

std::unique_ptr<QSettings> windowSettings()
{
    return std::make_unique<QSettings>(qtText((base::dataFolder() / "window.ini").string()), QSettings::IniFormat);
}

FileController::FileController(ExperimentDocument *document, bool remember, QWidget *window)
    : QObject(window), m_document(document), m_remember(remember), m_window(window)
{
    m_autosave.setSingleShot(true);
    m_autosave.setInterval(kAutosaveMilliseconds);
    connect(&m_autosave, &QTimer::timeout, this, &FileController::flush);
    if (m_remember)
        connect(m_document, &ExperimentDocument::changed, &m_autosave, qOverload<>(&QTimer::start));
}

void FileController::start(const QString &file)
{
    const auto begin = [this](const model::Experiment &experiment, const QString &path, const QString &title) {
        m_document->start(experiment, path, title);
    };
    QString problem;
    const bool isExperiment = service::kindOfFile(utf8(file)) == service::FileKind::Experiment;
    if (!file.isEmpty() && isExperiment) {
        if (auto loaded = model::loadExperiment(utf8(file))) {
            begin(*loaded, file, titleOfFile(file));
            remember(file);
            return;
        } else {
            problem = notOpened(file, loaded.error());
        }
    }
    std::error_code ignored;
    if (m_remember && std::filesystem::exists(sessionFile(), ignored)) {
        const auto settings = windowSettings();
        if (const auto session = model::loadExperiment(sessionFile())) {
            const QString of = settings->value(u"file"_s).toString();
            begin(*session, of, settings->value(u"title"_s, Words::tr("Last session")).toString());
            const auto saved = of.isEmpty() ? base::Result<model::Experiment>(*session) : model::loadExperiment(utf8(of));
            if (!saved || loosened(*saved) != m_document->experiment() || (of.isEmpty() && settings->value(kChanged).toBool()))
                m_document->setChanged(); // it came back, and is not in its file or no longer the example
            emit restored();
        } else {
            problem += Words::tr(" The last session cannot be read, so the demo is open: ") + sentence(session.error());
        }
    }
    if (m_document->title() == Words::tr("Untitled")) {
        const QString demo = exampleFolder().filePath(u"demo-slow-last-device.stagelens.json"_s);
        const auto loaded = model::loadExperiment(utf8(demo));
        begin(loaded ? *loaded : model::Experiment{}, {}, titleOfFile(demo));
    }
    if (!isExperiment)
        openFile(file);
    if (!problem.isEmpty())
        emit failed(problem.trimmed());
}

void FileController::openFile(const QString &file)
{
    switch (service::kindOfFile(utf8(file))) {
    case service::FileKind::ModelConfig: openModel(file); return;
    case service::FileKind::Schedule: emit scheduleGiven(file); return;
    case service::FileKind::Trace: emit traceGiven(file); return;
    case service::FileKind::Experiment: break;
    }
    if (const auto opened = m_document->open(file); !opened) {
        emit failed(notOpened(file, opened.error()));
        return;
    }
    remember(file);
}

void FileController::openModel(const QString &file)
{
    const QString name = QFileInfo(file).fileName();
    const auto found = service::modelFromConfig(utf8(file));
    if (!found) {
        emit failed(notOpened(file, found.error()));
        return;
    }
    model::Experiment next = m_document->experiment();
    next.model = found->shape;
    next.hasModel = true;
    model::followStages(next);
    m_document->closeGesture();
    m_document->edit(u"model.preset"_s, Words::tr("Model from ") + name, std::move(next));
    m_document->closeGesture();
    QString words =
        Words::tr("The model is now that of %1: %2 layers, hidden width %3, vocabulary %4, sequences of %5.")
            .arg(name)
            .arg(found->shape.layers)
            .arg(countText(found->shape.hidden), countText(found->shape.vocabularySize), countText(found->shape.sequence));
    if (!found->differences.empty())
        words += Words::tr(" Its weights would be another model's here: ") + sentence(base::Error::invalid(found->differences));
    emit told(words);
}

void FileController::openAsked()
{
    const QString file = QFileDialog::getOpenFileName(m_window, Words::tr("Open an experiment, a model or a schedule"),
                                                      m_document->file(), openFilter());
    if (!file.isEmpty())
        openFile(file);
}

void FileController::importModelAsked()
{
    const QString file = QFileDialog::getOpenFileName(m_window, Words::tr("Import the model of a config.json of Hugging Face"),
                                                      {}, Words::tr("Models (config.json *.json);;All files (*)"));
    if (!file.isEmpty())
        openFile(file);
}

void FileController::save()
{
    if (m_document->file().isEmpty())
        saveAs();
    else
        saveTo(m_document->file());
}

void FileController::saveAs()
{
    QString file =
        QFileDialog::getSaveFileName(m_window, Words::tr("Save the experiment"), m_document->file(), experimentFilter());
    if (file.isEmpty())
        return;
    if (!file.endsWith(u".json"_s))
        file += u".stagelens.json"_s;
    saveTo(file);
}

void FileController::saveTo(const QString &file)
{
    if (const auto saved = m_document->save(file); !saved)
        emit failed(Words::tr("The experiment was not saved. ") + sentence(saved.error()));
    else
        remember(file);
}

void FileController::newExperiment()
{
    m_document->replace(model::Experiment{}, {}, Words::tr("New experiment"));
}

void FileController::remember(const QString &file)
{
    if (!m_remember)
        return;
    const auto settings = windowSettings();
    QStringList files = settings->value(u"recent"_s).toStringList();
    files.removeAll(file);
    files.prepend(file);
    settings->setValue(u"recent"_s, files.mid(0, kRecentFiles));
}

void FileController::fillRecent(QMenu *menu)
{
    menu->clear();
    const QStringList files = m_remember ? windowSettings()->value(u"recent"_s).toStringList() : QStringList();
    for (const QString &file : files)
        menu->addAction(QFileInfo(file).fileName(), this, [this, file] { openFile(file); })->setToolTip(plainTip(file));
    if (files.isEmpty())
        menu->addAction(Words::tr("No file was opened yet"))->setEnabled(false);
}

void FileController::fillExamples(QMenu *menu)
{
    menu->clear();
    for (const QFileInfo &info : exampleFolder().entryInfoList({u"*.stagelens.json"_s}, QDir::Files, QDir::Name)) {
        const QString file = info.filePath();
        menu->addAction(titleOfFile(file), this, [this, file] { openExample(file); });
    }
}

void FileController::openExample(const QString &file)
{
    if (auto loaded = model::loadExperiment(utf8(file)))
        m_document->replace(*loaded, {}, titleOfFile(file));
    else
        emit failed(sentence(loaded.error()));
}

void FileController::flush()
{
    m_autosave.stop();
    if (!m_remember || !m_isValid)
        return;
    std::error_code ignored;
    std::filesystem::create_directories(base::dataFolder(), ignored);
    if (const auto saved = model::saveExperiment(m_document->experiment(), sessionFile()); !saved) {
        base::log(base::LogLevel::Warning, saved.error().text());
        return;
    }
    const auto settings = windowSettings();
    settings->setValue(u"file"_s, m_document->file());
    settings->setValue(u"title"_s, m_document->title());
    settings->setValue(kChanged, m_document->isChanged());
}

} // namespace stagelens::ui
