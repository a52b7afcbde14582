// The documentation inside the window: pages with their pictures, and the way from a page to the plan it speaks of.
#pragma once

#include "engine/model/experiment.h"

#include <QWidget>

#include <optional>

class QPushButton;
class QTextBrowser;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagelens::ui {

/// Reads resources/docs and resources/examples when it is shown first.
class LearnPage : public QWidget {
    Q_OBJECT
public:
    explicit LearnPage(QWidget *parent = nullptr);
    /// Shows a page by its path under resources/docs ("schedules/1f1b.md").
    void showPage(const QString &path);

signals:
    /// The page of a schedule family or a vocabulary method asks to be tried on the plan.
    void familyAsked(const QString &family);
    void methodAsked(stagelens::model::VocabularyMethod method);
    /// An example was chosen.
    void exampleAsked(const QString &file);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void fill();
    void addFolder(const QString &caption, const QString &folder, const QStringList &names);
    void choose(QTreeWidgetItem *item);
    void offer(const QString &path);

    QTreeWidget *m_contents;
    QTextBrowser *m_text;
    QPushButton *m_try;
    QString m_page;
};

} // namespace stagelens::ui
