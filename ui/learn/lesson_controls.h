// The editors above a picture: what a lesson lets the reader change.
#pragma once

#include "engine/base/result.h"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;
class FlowLayout;

class LessonControls : public QWidget {
    Q_OBJECT
public:
    /// `document` must outlive it.
    LessonControls(ExperimentDocument *document, QWidget *parent);

    /// Shows the editors of these fields, and hides itself without any.
    void setFields(const QStringList &ids);
    /// Marks the fields that an error names; null: none.
    void showProblems(const base::Error *error);

private:
    ExperimentDocument *m_document;
    FlowLayout *m_row;
    std::vector<FieldEditor *> m_editors;
};

} // namespace stagelens::ui
