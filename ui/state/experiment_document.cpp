#include "ui/state/experiment_document.h"

#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"
#include "ui/state/fields.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/tr.h"

#include <QFileInfo>
#include <QHash>
#include <QUndoCommand>

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

/// From one experiment to another; merges with the edits of the same gesture.
class EditCommand : public QUndoCommand {
public:
    EditCommand(ExperimentDocument *document, QString field, const QString &label, int gesture, model::Experiment before,
                model::Experiment after)
        : QUndoCommand(label), m_document(document), m_field(std::move(field)), m_gesture(gesture), m_before(std::move(before)),
          m_after(std::move(after))
    {}
    void undo() override { m_document->set(m_before); }
    void redo() override { m_document->set(m_after); }
    [[nodiscard]] int id() const override { return 1; }
    bool mergeWith(const QUndoCommand *other) override
    {
        const auto *next = static_cast<const EditCommand *>(other);
        if (next->m_gesture != m_gesture)
            return false;
        m_after = next->m_after;
        setObsolete(m_after == m_before);
        return true;
    }
    [[nodiscard]] const QString &field() const { return m_field; }
    [[nodiscard]] int gesture() const { return m_gesture; }

private:
    ExperimentDocument *m_document;
    QString m_field;
    int m_gesture;
    model::Experiment m_before;
    model::Experiment m_after;
};

/// Another experiment, file and title; undo brings the former back, so that opening never loses what was not saved.
class ReplaceCommand : public QUndoCommand {
public:
    struct State {
        model::Experiment experiment;
        QString file;
        QString title;
    };
    ReplaceCommand(ExperimentDocument *document, State before, State after)
        : QUndoCommand(Words::tr("Open ") + after.title), m_document(document), m_before(std::move(before)),
          m_after(std::move(after))
    {}
    void undo() override { m_document->setAll(m_before.experiment, m_before.file, m_before.title); }
    void redo() override { m_document->setAll(m_after.experiment, m_after.file, m_after.title); }

private:
    ExperimentDocument *m_document;
    State m_before;
    State m_after;
};

namespace {

/// Returns the experiment completed from its schedule's file; unchanged if the file cannot be used, which validation reports.
model::Experiment opened(const model::Experiment &experiment)
{
    const auto followed = service::followed(experiment);
    return loosened(followed ? *followed : experiment);
}

} // namespace

ExperimentDocument::ExperimentDocument(EngineBridge *bridge, QObject *parent)
    : QObject(parent), m_saved(m_experiment), m_title(Words::tr("Untitled")), m_bridge(bridge), m_editJob(bridge),
      m_openJob(bridge)
{
    for (const LatestJob *job : {&m_editJob, &m_openJob})
        connect(job, &LatestJob::waitChanged, this, &ExperimentDocument::preparingChanged);
}

void ExperimentDocument::edit(const QString &field, const QString &label, model::Experiment next)
{
    if (next == m_experiment)
        return;
    if (field != m_gestureField)
        closeGesture();
    m_gestureField = field;
    emit editing();
    // push() calls redo(), which sets the experiment.
    m_undo.push(new EditCommand(this, field, label, m_gesture, m_experiment, std::move(next)));
}

void ExperimentDocument::choose(const Field &field, const QVariant &value)
{
    closeGesture();
    if (takesLong(field, value)) {
        editLater(field, value);
    } else {
        model::Experiment next = m_experiment;
        field.setValue(next, value);
        edit(field.id, field.caption, std::move(next));
    }
    closeGesture();
}

bool ExperimentDocument::takesLong(const Field &field, const QVariant &value) const
{
    return m_bridge != nullptr && field.isSlow && field.isSlow(m_experiment, value);
}

void ExperimentDocument::editLater(const Field &field, const QVariant &value)
{
    const auto make = [now = m_experiment, set = field.setValue,
                       value](const std::stop_token &) -> base::Result<model::Experiment> {
        model::Experiment next = now;
        set(next, value);
        return next;
    };
    m_editJob.start(
        make, [this, id = field.id, caption = field.caption, gesture = m_gesture](const base::Result<model::Experiment> &next) {
            const bool isOver = gesture != m_gesture;
            if (isOver)
                closeGesture();
            if (next)
                edit(id, caption, *next);
            if (isOver)
                closeGesture();
            emit preparingChanged(); // if the experiment is the same
        });
    emit preparingChanged();
}

void ExperimentDocument::cancel()
{
    if (!isPreparing())
        return;
    m_editJob.cancel();
    m_openJob.cancel();
    emit preparingChanged();
}

void ExperimentDocument::closeGesture()
{
    ++m_gesture;
    m_gestureField.clear();
    emit edited();
}

const EditCommand *ExperimentDocument::lastEditOf(const QString &field) const
{
    const auto *last = dynamic_cast<const EditCommand *>(m_undo.command(m_undo.index() - 1));
    return last && last->field() == field ? last : nullptr;
}

bool ExperimentDocument::revertGesture(const QString &field)
{
    const EditCommand *last = lastEditOf(field);
    return last && last->gesture() == m_gesture && revertField(field);
}

bool ExperimentDocument::revertField(const QString &field)
{
    if (!lastEditOf(field))
        return false;
    m_undo.undo();
    closeGesture();
    return true;
}

void ExperimentDocument::start(const model::Experiment &experiment, const QString &file, const QString &title)
{
    closeGesture();
    m_undo.clear();
    m_openJob.cancel();
    const bool isLong = m_bridge != nullptr && !isShortOrder(experiment.schedule);
    m_saved = isLong ? loosened(experiment) : opened(experiment);
    setAll(*m_saved, file, title);
    if (isLong)
        follow();
}

void ExperimentDocument::follow()
{
    const auto complete = [given = m_experiment](const std::stop_token &) -> base::Result<model::Experiment> {
        return opened(given);
    };
    m_editJob.start(complete, [this](const base::Result<model::Experiment> &whole) {
        const bool wasSaved = m_saved == m_experiment;
        if (whole && wasSaved)
            m_saved = *whole;
        if (whole && *whole != m_experiment)
            set(*whole);
        else
            emit preparingChanged();
    });
    emit preparingChanged();
}

void ExperimentDocument::replace(const model::Experiment &experiment, const QString &file, const QString &title)
{
    const auto complete = [experiment](const std::stop_token &) -> base::Result<model::Experiment> {
        return opened(experiment);
    };
    m_openJob.run(m_bridge == nullptr || isShortOrder(experiment.schedule), complete,
                  [this, file, title](const base::Result<model::Experiment> &whole) {
                      closeGesture();
                      if (whole) {
                          m_saved = *whole;
                          m_undo.push(new ReplaceCommand(this, {m_experiment, m_file, m_title}, {*whole, file, title}));
                      }
                  });
    if (m_openJob.isRunning())
        emit preparingChanged();
}

void ExperimentDocument::setAll(const model::Experiment &experiment, const QString &file, const QString &title)
{
    m_file = file;
    m_title = title;
    set(experiment);
    emit fileChanged();
    emit replaced();
}

base::Result<> ExperimentDocument::open(const QString &file)
{
    auto loaded = model::loadExperiment(file.toStdString());
    if (!loaded)
        return std::move(loaded).error();
    replace(*loaded, file, titleOfFile(file));
    return {};
}

base::Result<> ExperimentDocument::save(const QString &file)
{
    if (auto saved = model::saveExperiment(m_experiment, file.toStdString()); !saved)
        return saved;
    m_file = file;
    m_title = titleOfFile(file);
    m_saved = m_experiment;
    closeGesture();
    emit fileChanged();
    return {};
}

void ExperimentDocument::setChanged()
{
    m_saved.reset();
    emit fileChanged();
}

void ExperimentDocument::set(const model::Experiment &experiment)
{
    const bool wasChanged = isChanged();
    m_editJob.cancel();
    m_experiment = experiment;
    if (isChanged() != wasChanged)
        emit fileChanged();
    emit changed();
}

model::Experiment loosened(model::Experiment experiment)
{
    if (!model::validate(experiment).empty())
        return experiment;
    const std::vector<int> chosen = std::exchange(experiment.parallel.stageLayers, {});
    if (experiment.hasModel && chosen != operators::stageLayers(experiment))
        experiment.parallel.stageLayers = chosen;
    return experiment;
}

model::Experiment withMethod(model::Experiment experiment, model::VocabularyMethod method)
{
    experiment.schedule.vocabulary = method;
    experiment.parallel.stageLayers.clear();
    return experiment;
}

model::Experiment withFamily(model::Experiment experiment, std::string_view family)
{
    if (family != experiment.schedule.family)
        model::followStages(experiment);
    model::chooseFamily(experiment.schedule, family);
    return experiment;
}

QString titleOfFile(const QString &file)
{
    static const QHash<QString, QString> examples = {
        {u"demo-slow-last-device"_s, Words::tr("Demo: the slow last device")},
        {u"textbook-1f1b"_s, Words::tr("Textbook 1F1B")},
        {u"gpt-4b-8xa100-256k"_s, Words::tr("4B GPT on 8 A100, vocabulary 256k")},
        {u"gpt-39b-512xa100"_s, Words::tr("39B GPT on 512 A100, in 3D")},
        {u"mixtral-8x7b-32xh100"_s, Words::tr("Mixtral 8x7B on 32 H100")},
        {u"two-schedules-equal-memory"_s, Words::tr("Two schedules at equal memory")},
    };
    QString name = QFileInfo(file).fileName();
    for (const QString &ending : {u".json"_s, u".stagelens"_s}) {
        if (name.endsWith(ending))
            name.chop(ending.size());
    }
    if (const auto known = examples.constFind(name); known != examples.constEnd())
        return *known;
    name.replace(u'-', u' ');
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

} // namespace stagelens::ui
