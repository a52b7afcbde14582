#include "ui/panels/experiment_editor.h"
#include "ui/words/plain_text.h"

#include "engine/model/hardware_fields.h"
#include "ui/controls/button_style.h"
#include "ui/panels/field_editor.h"
#include "ui/panels/stage_strip.h"
#include "ui/state/experiment_document.h"
#include "ui/words/engine_messages.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFormLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ExperimentEditor::ExperimentEditor(ExperimentDocument *document, QWidget *parent) : QScrollArea(parent), m_document(document)
{
    setAccessibleName(Words::tr("Experiment"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget;
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 4, 8, 8);
    layout->setSpacing(4);
    for (const FieldGroup &group : fieldGroups()) {
        auto *header = new QToolButton(content);
        header->setText(group.caption);
        header->setObjectName(u"group."_s + group.caption);
        header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        header->setCheckable(true);
        header->setAutoRaise(true);
        header->setFocusPolicy(Qt::StrongFocus);
        header->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        header->setToolTip(plainTip(Words::tr("Fold or unfold: ") + group.caption));
        QFont font = header->font();
        font.setBold(true);
        header->setFont(font);
        auto *body = new QWidget(content);
        auto *form = new QFormLayout(body);
        form->setContentsMargins(12, 4, 0, 8);
        form->setVerticalSpacing(8);
        form->setRowWrapPolicy(QFormLayout::WrapLongRows);
        form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
        form->setLabelAlignment(Qt::AlignLeft);
        for (const QString &id : group.ids) {
            auto *editor = new FieldEditor(ui::field(id), document, body);
            form->addRow(editor->makeCaption(body), editor);
            m_editors.push_back(editor);
            m_rows.push_back({form, editor, editor});
            if (id == u"parallel.stage_layers"_s) {
                auto *strip = new StageStrip(document, body);
                form->addRow(strip);
                m_rows.push_back({form, strip, editor});
            }
        }
        connect(header, &QToolButton::toggled, this, &ExperimentEditor::updateGroups);
        connect(header, &QToolButton::toggled, this, &ExperimentEditor::openGroupsChanged);
        body->hide();
        m_headers.push_back(header);
        m_bodies.push_back(body);
        layout->addWidget(header);
        layout->addWidget(body);
    }
    layout->addStretch(1);
    setWidget(content);
    setOpenGroups({Words::tr("Schedule")});
    connect(m_document, &ExperimentDocument::changed, this, &ExperimentEditor::updateRows);
    updateRows();
}

QStringList ExperimentEditor::openGroups() const
{
    QStringList names;
    for (const QToolButton *header : m_headers) {
        if (header->isChecked())
            names << header->text();
    }
    return names;
}

void ExperimentEditor::setOpenGroups(const QStringList &names)
{
    for (QToolButton *header : m_headers)
        header->setChecked(names.contains(header->text()));
}

bool ExperimentEditor::reveal(const QString &field)
{
    const auto editor =
        std::ranges::find_if(m_editors, [&field](const FieldEditor *each) { return each->field().id == field; });
    if (editor == m_editors.end())
        return false;
    for (std::size_t group = 0; group < m_headers.size(); ++group)
        if (std::ranges::count(fieldGroups()[group].ids, field) > 0)
            m_headers[group]->setChecked(true);
    (*editor)->setFocus(Qt::OtherFocusReason);
    // Only then the fields of a group that was folded have places.
    QMetaObject::invokeMethod(
        this, [this, shown = *editor] { ensureWidgetVisible(shown); }, Qt::QueuedConnection);
    return true;
}

void ExperimentEditor::updateRows()
{
    for (const Row &row : m_rows) {
        const Field &shown = row.editor->field();
        const bool applies = !shown.applies || shown.applies(m_document->experiment());
        row.form->setRowVisible(row.widget, applies && matches(*row.editor));
    }
    updateGroups();
}

void ExperimentEditor::updateGroups()
{
    for (std::size_t group = 0; group < m_headers.size(); ++group) {
        const bool isFound = !m_filter.isEmpty() && std::ranges::any_of(m_rows, [&](const Row &row) {
            return row.widget->parentWidget() == m_bodies[group] && row.form->isRowVisible(row.widget);
        });
        const bool isOpen = m_filter.isEmpty() ? m_headers[group]->isChecked() : isFound;
        m_bodies[group]->setVisible(isOpen);
        m_headers[group]->setVisible(m_filter.isEmpty() || isFound);
        m_headers[group]->setIcon(glyphIcon(isOpen ? Glyph::Open : Glyph::Next));
    }
}

void ExperimentEditor::setFilter(const QString &words)
{
    m_filter = words.simplified().split(u' ', Qt::SkipEmptyParts);
    updateRows();
}

void ExperimentEditor::focusFirst()
{
    const auto row = std::ranges::find_if(m_rows, [](const Row &each) { return each.form->isRowVisible(each.widget); });
    if (row != m_rows.end())
        row->editor->control()->setFocus(Qt::TabFocusReason);
}

bool ExperimentEditor::finds() const
{
    return m_filter.isEmpty() || std::ranges::any_of(m_rows, [](const Row &row) { return row.form->isRowVisible(row.widget); });
}

bool ExperimentEditor::findsCluster() const
{
    return !m_filter.isEmpty() && std::ranges::any_of(model::hardwareFields(), [this](const model::HardwareField &field) {
        return hasAll(engineText(field.caption) + u' ' + qtText(field.unit) + u' ' + engineText(field.help));
    });
}

bool ExperimentEditor::hasAll(const QString &text) const
{
    return std::ranges::all_of(m_filter, [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool ExperimentEditor::matches(const FieldEditor &editor) const
{
    const Field &field = editor.field();
    return hasAll(field.caption + u' ' + field.option + u' ' + field.tip + u' ' + field.id) ||
           (field.id == u"cost.hardware"_s && findsCluster());
}

} // namespace stagelens::ui
