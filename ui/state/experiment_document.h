// The open experiment, its undo history, and the file it belongs to.
#pragma once

#include "engine/model/experiment.h"
#include "ui/state/latest_job.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <algorithm>
#include <optional>

namespace stagelens::ui {

class EditCommand;
struct Field;

/// Holds any experiment that a person can type, valid or not. GUI thread only. What would block it, such as reading a long
/// order, is a job.
class ExperimentDocument : public QObject {
    Q_OBJECT
public:
    /// Without a bridge, nothing is a job.
    explicit ExperimentDocument(EngineBridge *bridge = nullptr, QObject *parent = nullptr);

    [[nodiscard]] const model::Experiment &experiment() const { return m_experiment; }
    [[nodiscard]] QUndoStack &undoStack() { return m_undo; }

    /// Makes `next` the experiment and emits changed(), as one step of undo. Edits of the same field merge into one step until
    /// closeGesture().
    void edit(const QString &field, const QString &label, model::Experiment next);
    /// Sets a field to a choice, as a step of undo of its own. One that takes long is made by a job, and dropped if the
    /// experiment changes before.
    void choose(const Field &field, const QVariant &value);
    [[nodiscard]] bool takesLong(const Field &field, const QVariant &value) const;
    /// Sets a field by a job, as an edit of the present gesture.
    void editLater(const Field &field, const QVariant &value);
    /// Returns whether a job makes the next experiment, or completes this one from its order.
    [[nodiscard]] bool isPreparing() const { return m_editJob.isRunning() || m_openJob.isRunning(); }
    [[nodiscard]] LatestJob::Wait wait() const { return std::max(m_editJob.wait(), m_openJob.wait()); }
    /// Cancels these jobs; the experiment remains as it is.
    void cancel();
    /// The next edit of the same field is a step of its own.
    void closeGesture();
    /// Reverts the edits of the field that is being typed in, if there are any.
    bool revertGesture(const QString &field);
    /// Undoes the last step if it edited the field; its gesture may be over.
    bool revertField(const QString &field);

    /// Sets the experiment of a new window: nothing to undo. `file` may be empty. A long order of its own is read by a job.
    void start(const model::Experiment &experiment, const QString &file, const QString &title);
    /// Opens another experiment, as one step of undo, which follows when a long order has been read.
    void replace(const model::Experiment &experiment, const QString &file, const QString &title);
    [[nodiscard]] base::Result<> open(const QString &file);
    [[nodiscard]] base::Result<> save(const QString &file);
    /// The file that Save writes; empty for an example or a new experiment.
    [[nodiscard]] const QString &file() const { return m_file; }
    [[nodiscard]] const QString &title() const { return m_title; }
    /// Returns whether the experiment differs from what was opened or saved last. (The undo stack also has steps that are not
    /// edits.)
    [[nodiscard]] bool isChanged() const { return m_saved != m_experiment; }
    /// Notes that the experiment differs from its file.
    void setChanged();

signals:
    /// The experiment has another value: Forecast predicts it, and the editors show it.
    void changed();
    void fileChanged();
    /// Another experiment is open; emitted after changed().
    void replaced();
    /// A field is being edited; emitted before changed(), with every edit.
    void editing();
    /// The gesture is over: the field was left or the choice made.
    void edited();
    /// isPreparing() changed without changed(), or wait() did.
    void preparingChanged();

private:
    friend class EditCommand;
    [[nodiscard]] const EditCommand *lastEditOf(const QString &field) const;
    friend class ReplaceCommand;
    void setAll(const model::Experiment &experiment, const QString &file, const QString &title);
    void set(const model::Experiment &experiment);
    /// Reads the long order of the experiment, and completes it.
    void follow();

    model::Experiment m_experiment;
    std::optional<model::Experiment> m_saved;
    QUndoStack m_undo;
    QString m_file;
    QString m_title;
    QString m_gestureField;
    int m_gesture = 0;
    EngineBridge *m_bridge;
    LatestJob m_editJob; ///< of this experiment: any change cancels it
    LatestJob m_openJob; ///< of another one
};

/// Returns the experiment without a cut of the layers that equals the automatic one. A stored plan is resolved; without this it
/// could not be edited as freely as before.
[[nodiscard]] model::Experiment loosened(model::Experiment experiment);
/// Returns the plan with another vocabulary method and an automatic cut: one made by hand for a method rarely fits another.
[[nodiscard]] model::Experiment withMethod(model::Experiment experiment, model::VocabularyMethod method);
/// Returns the plan in the order of another schedule family.
[[nodiscard]] model::Experiment withFamily(model::Experiment experiment, std::string_view family);
/// "demo-slow-last-device.stagelens.json" is "Demo: the slow last device".
[[nodiscard]] QString titleOfFile(const QString &file);

} // namespace stagelens::ui
