// The strip above the picture: train and stop, the fields that are changed most, and what is shown.
#pragma once

#include <QWidget>

#include <vector>

class QAction;
class QActionGroup;
class QLabel;
class QMenu;
class QToolButton;

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;

/// Which lane groups are drawn.
enum class Shown : unsigned char { Predicted, Measured, Both };

class ToolStrip : public QWidget {
    Q_OBJECT
public:
    /// What trains: `copy` stands in the place of `plan` while it is enabled.
    struct RunActions {
        QAction *plan;
        QAction *copy;
        QAction *stop;
    };
    ToolStrip(ExperimentDocument *document, const RunActions &run, QWidget *parent = nullptr);
    [[nodiscard]] const std::vector<FieldEditor *> &editors() const { return m_editors; }
    [[nodiscard]] Shown shown() const;
    void setShown(Shown shown);
    /// "step 12 of 50 · loss 7.31 · 18 s left"; empty when nothing runs.
    void setProgress(const QString &text);

signals:
    void shownChanged();
    /// The list at Measured opens: which runs and steps there are may be filled in.
    void measuredMenuOpens(QMenu *menu);

private:
    void addMeasuredMenu(QToolButton *button);

    std::vector<FieldEditor *> m_editors;
    QActionGroup *m_shown;
    QLabel *m_progress;
};

} // namespace stagelens::ui
