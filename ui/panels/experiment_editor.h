// Everything of the experiment that can be edited, in groups that fold.
#pragma once

#include "engine/base/result.h"

#include <QScrollArea>

#include <vector>

class QFormLayout;
class QToolButton;

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;

/// Groups Model, Devices, Schedule, Costs, Data and Training; only Schedule is open at first.
class ExperimentEditor : public QScrollArea {
    Q_OBJECT
public:
    explicit ExperimentEditor(ExperimentDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] const std::vector<FieldEditor *> &editors() const { return m_editors; }
    /// Names of the open groups, to be remembered.
    [[nodiscard]] QStringList openGroups() const;
    void setOpenGroups(const QStringList &names);
    /// Opens the field's group and sets the focus to the field. Returns false if there is no such field.
    bool reveal(const QString &field);
    /// Shows only the fields in whose caption, command-line option or help all the words occur; empty: all fields.
    void setFilter(const QString &words);
    /// Sets the focus to the first field that the filter keeps, as Tab would.
    void focusFirst();
    /// Returns whether the filter keeps any field.
    [[nodiscard]] bool finds() const;
    /// Returns whether the filter's words are of a figure of the cluster, which a copy of the hardware has; the hardware is
    /// then kept.
    [[nodiscard]] bool findsCluster() const;

signals:
    void openGroupsChanged();

private:
    void updateRows();
    void updateGroups();
    [[nodiscard]] bool hasAll(const QString &text) const; ///< the filter's words
    [[nodiscard]] bool matches(const FieldEditor &editor) const;

    struct Row {
        QFormLayout *form;
        QWidget *widget;
        FieldEditor *editor; ///< whose field says whether the row applies
    };
    ExperimentDocument *m_document;
    std::vector<FieldEditor *> m_editors;
    std::vector<Row> m_rows;
    std::vector<QToolButton *> m_headers;
    std::vector<QWidget *> m_bodies; ///< of the headers
    QStringList m_filter;
};

} // namespace stagelens::ui
