// The picker of schedules and of vocabulary methods: what each would give, in one table.
#pragma once

#include "engine/base/units.h"
#include "ui/state/fields.h"

#include <QFrame>
#include <QHash>

#include <optional>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagelens::ui {

class ExperimentDocument;

/// A table in groups with time, peak memory, the difference of the time to the plan as a bar, and a dot where no other choice
/// is better in both. Figures of choices that do not fit are red. Its columns sort. A line at the foot says how the choice
/// under the pointer, or else the current one, reads.
class MethodPicker : public QFrame {
    Q_OBJECT
public:
    MethodPicker(const Field &field, ExperimentDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] const Field &field() const { return m_field; }
    /// A command below the choices, which closes the picker.
    void addCommand(QAction *command);
    /// Opens below the widget, with the plan's choice selected.
    void openBelow(const QWidget &chip);

    /// The figures of a choice; without a time it is not possible for this plan.
    struct Figures {
        std::optional<base::Nanos> iteration;
        std::optional<base::Bytes> peakMemory;
    };
    /// Shows the plan's own figures, against which the bars are drawn, and the memory of a device (0: unknown).
    void setPlan(const Figures &plan, base::Bytes capacity);
    void setFigures(const QString &choice, const Figures &figures);
    /// Figures of another plan would be wrong.
    void clearFigures();
    [[nodiscard]] QTreeWidget *table() const { return m_table; }
    /// Returns the row of a choice, or null.
    [[nodiscard]] QTreeWidgetItem *row(const QString &choice) const { return m_rows.value(choice); }

    enum Column : int { Name, Time, Memory, Difference, Front };

signals:
    /// The pointer or the arrow keys are on a choice; empty when the picker closes.
    void choiceHovered(const QString &value);
    void chosen(const QString &value);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void fill();
    void choose(const QTreeWidgetItem *item);
    void showFigures(QTreeWidgetItem &item, const Figures &figures);
    void markFront();
    /// Shows at the foot how a choice reads, and says that it is hovered.
    void pointAt(const QTreeWidgetItem *item);

    Field m_field;
    ExperimentDocument *m_document;
    QTreeWidget *m_table;
    QLabel *m_reading;
    int m_footHeight = 0; ///< of the reading and all commands
    QHash<QString, QTreeWidgetItem *> m_rows;
    QHash<QString, Figures> m_figures;
    Figures m_plan;
    base::Bytes m_capacity = 0;
    bool m_pressed = false; ///< the mouse, inside the table
};

} // namespace stagelens::ui
