#include "ui/learn/lesson_controls.h"

#include "ui/controls/flow_layout.h"
#include "ui/panels/field_editor.h"
#include "ui/state/experiment_document.h"
#include "ui/words/words.h"

#include <QHBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

LessonControls::LessonControls(ExperimentDocument *document, QWidget *parent)
    : QWidget(parent), m_document(document), m_row(new FlowLayout(this, 16, 4))
{
    m_row->setContentsMargins(0, 0, 0, 0);
}

void LessonControls::setFields(const QStringList &ids)
{
    QStringList now;
    for (const FieldEditor *editor : m_editors)
        now << editor->field().id;
    if (now == ids)
        return;
    m_editors.clear();
    qDeleteAll(findChildren<QWidget *>(Qt::FindDirectChildrenOnly));
    for (const QString &id : ids) {
        auto *box = new QWidget(this);
        auto *row = new QHBoxLayout(box);
        row->setContentsMargins(0, 0, 0, 0);
        auto *editor = new FieldEditor(ui::field(id), m_document, box);
        editor->control()->setObjectName(u"lesson."_s + id);
        row->addWidget(editor->makeCaption(box));
        row->addWidget(editor);
        m_editors.push_back(editor);
        m_row->addWidget(box);
        box->show();
    }
    setVisible(!ids.isEmpty());
}

void LessonControls::showProblems(const base::Error *error)
{
    for (FieldEditor *editor : m_editors) {
        QString reason;
        for (const base::Problem &problem : error != nullptr ? error->problems : base::Problems())
            if (qtText(problem.field) == editor->field().id)
                reason = sentence(problem);
        editor->setProblem(reason);
    }
}

} // namespace stagelens::ui
