// Shows a page of the documentation, or a text of its own, at a width that is good to read.
#pragma once

#include <QTextBrowser>

namespace stagelens::ui {

/// Markdown whose pictures are never wider than the text.
class PageBrowser : public QTextBrowser {
    Q_OBJECT
public:
    explicit PageBrowser(QWidget *parent = nullptr);
    /// A page by its path under resources/docs, in the language of the window. `withPictures` false omits its pictures: a live
    /// one is shown beside it.
    void showPage(const QString &path, bool withPictures);
    /// A text that is no page; keeps its place where it replaces such a text with little changed. Its links are those of the
    /// page `path`; empty: of none.
    void showText(const QString &markdown, const QString &path = {});

signals:
    /// A link to a page, by its path under resources/docs, was followed.
    void pageAsked(const QString &path);

protected:
    void resizeEvent(QResizeEvent *event) override;
    QVariant loadResource(int type, const QUrl &name) override;

private:
    void fitPictures();
    void fitPageTables();
    void read();

    QString m_file;  ///< empty while it shows a text
    QString m_place; ///< the English file of what is shown, which links and pictures are relative to; empty: there is none
    bool m_withPictures = true;
    int m_fittedTo = 0;
};

} // namespace stagelens::ui
