// Shows a page of the documentation, or a text of its own, at a width that is good to read.
#pragma once

#include <QTextBrowser>

namespace stagelens::ui {

/// Markdown whose pictures are never wider than the text.
class PageBrowser : public QTextBrowser {
    Q_OBJECT
public:
    explicit PageBrowser(QWidget *parent = nullptr);
    /// A page by its file. `withPictures` false omits its pictures: a live one is shown beside it.
    void showPage(const QString &file, bool withPictures);
    /// A text that belongs to no file; keeps its place where it replaces such a text with little changed.
    void showText(const QString &markdown);

signals:
    /// A link within the documentation was followed.
    void pageAsked(const QString &file);

protected:
    void resizeEvent(QResizeEvent *event) override;
    QVariant loadResource(int type, const QUrl &name) override;

private:
    void fitPictures();
    void read();

    QString m_file; ///< empty while it shows a text
    bool m_withPictures = true;
    int m_fittedTo = 0;
};

} // namespace stagelens::ui
