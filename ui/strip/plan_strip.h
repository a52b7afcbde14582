// The strip below the menu: what the plan is, in five chips, and what trains it.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <QHash>
#include <QWidget>

#include <vector>

class QAction;
class QLabel;
class QStackedWidget;

namespace stagelens::ui {

class ChoiceMenu;
class ExperimentDocument;
class FieldEditor;
class MethodPicker;
class PlanChip;
class RunSheet;
class StripButton;

/// Five chips in fixed slots: model, hardware, microbatches, schedule and vocabulary; then all settings and training. The
/// widths follow the window alone: nothing moves while the plan changes or trains.
class PlanStrip : public QWidget {
    Q_OBJECT
public:
    /// `copy` replaces `plan` in the button while it is enabled.
    struct Actions {
        QAction *train;
        QAction *trainCopy;
        QAction *stop;
        QAction *settings;
    };
    PlanStrip(ExperimentDocument *document, const Actions &actions, QWidget *parent = nullptr);

    /// Returns the numbers inside the chips, and the fields of the run sheet.
    [[nodiscard]] std::vector<FieldEditor *> editors() const;
    /// Returns the list of the field's choices, or null.
    [[nodiscard]] ChoiceMenu *menu(const QString &field) const { return m_menus.value(field); }
    [[nodiscard]] RunSheet *sheet() const { return m_sheet; }
    /// Adds commands below the choices of a field's list.
    void addCommands(const QString &field, const QList<QAction *> &commands);
    /// Returns the table of schedules or of vocabulary methods.
    [[nodiscard]] MethodPicker *methods(const QString &field) const { return m_methods.value(field); }
    /// "step 12 of 50 · loss 7.31 · 18 s left" in two lines in the button's place, and "12/50" for its step where that has no
    /// room; empty: the button.
    void setProgress(const QString &text, const QString &narrowStep);
    /// Marks the chips that own the fields of problems, and counts the problems at the settings.
    void setProblems(const base::Problems &problems);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// The settings should be opened at a field.
    void fieldAsked(const QString &field);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    /// The widths of a slot in the narrowest window, in one of 800 pixels, and in a wide one.
    struct Widths {
        int least;
        int narrow;
        int wide;
    };
    struct Slot {
        QWidget *widget;
        Widths widths;
    };
    /// Tab walks from the left to the right, each number behind its chip.
    void orderTabs();
    PlanChip *addChip(const QString &name, const QString &caption, const QString &picker, const Widths &widths);
    /// Returns the width that the slots need with their gaps.
    [[nodiscard]] int widthWith(int Widths::*each, int gap) const;
    void addNumber(PlanChip *chip, const QString &field);
    QWidget *makeTrainButton(const Actions &actions);
    QWidget *makeProgress(const Actions &actions);
    void refresh();
    void showHardware(const model::Experiment &plan);
    /// Writes the progress into the width that its slot has now.
    void placeProgress();

    ExperimentDocument *m_document;
    std::vector<FieldEditor *> m_editors;
    QHash<QString, ChoiceMenu *> m_menus;
    QHash<QString, MethodPicker *> m_methods;
    std::vector<Slot> m_slots;
    PlanChip *m_model;
    PlanChip *m_hardware;
    PlanChip *m_microbatches;
    PlanChip *m_schedule;
    PlanChip *m_vocabulary;
    QAction *m_settingsAction;
    StripButton *m_settings;
    QStackedWidget *m_training;
    RunSheet *m_sheet;
    StripButton *m_stop = nullptr;
    QLabel *m_progress = nullptr;
    QStringList m_progressLines;
    QString m_narrowStep;
    QString m_firstProblem; ///< its field
};

} // namespace stagelens::ui
