// The contents of Learn as a tree, with a search over titles and texts.
#pragma once

#include <QTreeWidget>
#include <QWidget>

#include <map>

class QLineEdit;

namespace stagelens::ui {

/// An entry of the contents.
struct LearnEntry {
    enum class Kind : unsigned char { Page, Tour, Scene, Example, Challenge };
    Kind kind = Kind::Page;
    QString title;
    QString path; ///< below resources/docs, or of an example's file
    friend bool operator==(const LearnEntry &, const LearnEntry &) = default;
};

class ContentsList : public QWidget {
    Q_OBJECT
public:
    explicit ContentsList(QWidget *parent);
    /// Reads the folders of the documentation. Texts are read at the first search.
    void fill();
    [[nodiscard]] bool isFilled() const { return m_tree->topLevelItemCount() > 0; }
    /// Marks an entry as current without choosing it again.
    void setCurrent(const LearnEntry &entry);
    void clearCurrent();
    void startSearch();
    /// Every entry, in the order of the tree.
    [[nodiscard]] QList<LearnEntry> entries() const;
    [[nodiscard]] QTreeWidget *tree() { return m_tree; }

signals:
    void chosen(const stagelens::ui::LearnEntry &entry);
    void overviewAsked();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QTreeWidgetItem *addFolder(const QString &caption, const QString &folder, const QStringList &names);
    void addExamples();
    void filter(const QString &text);
    /// Whether the title or the text of the entry contains every word.
    [[nodiscard]] bool matches(const QTreeWidgetItem &item, const QStringList &words);

    QLineEdit *m_search;
    QTreeWidget *m_tree;
    std::map<QString, QString> m_texts; ///< by path, in lower case: the English one and the one shown
};

/// The first heading of a page or tour, in the language of the window; its file name without one.
[[nodiscard]] QString titleOfPage(const QString &path);
/// The entry of a file below resources/docs.
[[nodiscard]] LearnEntry entryOfPage(const QString &path);

} // namespace stagelens::ui
