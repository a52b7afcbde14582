// All settings: a line to search them, and the editor of every field.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace stagelens::ui {

class ExperimentDocument;
class ExperimentEditor;

class SettingsPanel : public QWidget {
    Q_OBJECT
public:
    explicit SettingsPanel(ExperimentDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] ExperimentEditor *editor() const { return m_editor; }
    /// Shows the field, whatever was searched for, and puts the keyboard there. False if there is no such field.
    bool reveal(const QString &field);
    /// Puts the keyboard into the search.
    void startSearch();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &words);

    QLineEdit *m_search;
    QLabel *m_hint; ///< what was not found, and where to look
    ExperimentEditor *m_editor;
};

} // namespace stagelens::ui
