#include "ui/learn/page_browser.h"

#include "ui/controls/text_tables.h"
#include "ui/learn/page_files.h"
#include "ui/words/tr.h"

#include <QDesktopServices>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kCharactersOfLine = 68; ///< longer lines are hard to read

/// The canonical path of a page or picture of ours; empty for any other file, which is never read.
QString ownFile(const QString &file)
{
    const QString folder = docsFolder().canonicalPath() + u'/';
    const QString found = QFileInfo(file).canonicalFilePath();
    return found.startsWith(folder) ? found : QString();
}
} // namespace

PageBrowser::PageBrowser(QWidget *parent) : QTextBrowser(parent)
{
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false); // the contents go along with the page
    connect(this, &QTextBrowser::textChanged, this, &PageBrowser::fitPageTables);
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        if (!link.scheme().isEmpty() && !link.isLocalFile())
            QDesktopServices::openUrl(link);
        else if (link.path().isEmpty())
            scrollToAnchor(link.fragment());
        else if (const QString page = ownFile(QFileInfo(QFileInfo(m_place).dir(), link.path()).filePath()); !page.isEmpty())
            emit pageAsked(QDir(docsFolder().canonicalPath()).relativeFilePath(page));
    });
}

void PageBrowser::showPage(const QString &path, bool withPictures)
{
    m_file = pageFile(path);
    m_place = docsFolder().filePath(path);
    m_withPictures = withPictures;
    m_fittedTo = viewport()->width();
    read();
    verticalScrollBar()->setValue(0);
}

void PageBrowser::read()
{
    QFile page(m_file);
    if (!page.open(QIODevice::ReadOnly)) {
        setPlainText(Words::tr("The page cannot be read. %1: %2").arg(m_file, page.errorString()));
        return;
    }
    QStringList lines = QString::fromUtf8(page.readAll()).split(u'\n');
    if (!m_withPictures)
        lines.removeIf([](const QString &line) { return line.startsWith(u"!["_s); });
    document()->setBaseUrl(QUrl::fromLocalFile(m_place));
    setMarkdown(lines.join(u'\n'));
    mendHeaders(*document());
}

void PageBrowser::showText(const QString &markdown, const QString &path)
{
    const int before = m_file.isEmpty() ? verticalScrollBar()->value() : 0;
    m_file.clear();
    m_place = path.isEmpty() ? QString() : docsFolder().filePath(path);
    setMarkdown(markdown);
    mendHeaders(*document());
    verticalScrollBar()->setValue(before);
}

QVariant PageBrowser::loadResource(int type, const QUrl &name)
{
    const QUrl place = name.isRelative() ? QUrl::fromLocalFile(m_place).resolved(name) : name;
    const QString file = place.isLocalFile() ? ownFile(place.toLocalFile()) : QString();
    if (type != QTextDocument::ImageResource)
        return {};
    if (file.isEmpty()) {
        QImage nothing(1, 1, QImage::Format_ARGB32_Premultiplied); // for nothing at all Qt would read the file itself
        nothing.fill(Qt::transparent);
        return nothing;
    }
    const QImage image(file);
    const int room = std::max(viewport()->width() - 2 * static_cast<int>(document()->documentMargin()) - 4, 100);
    return image.width() > room ? image.scaledToWidth(room, Qt::SmoothTransformation) : image;
}

void PageBrowser::resizeEvent(QResizeEvent *event)
{
    const int widest =
        kCharactersOfLine * fontMetrics().averageCharWidth() + 2 * static_cast<int>(document()->documentMargin());
    const int margin = std::max((width() - widest) / 2, 12);
    setViewportMargins(margin, 8, margin, 8);
    QTextBrowser::resizeEvent(event);
    // The pictures follow the width. Later: a scroll bar that comes while a page is read in resizes as well.
    if (event->size().width() != event->oldSize().width()) {
        QMetaObject::invokeMethod(this, &PageBrowser::fitPictures, Qt::QueuedConnection);
        QMetaObject::invokeMethod(this, &PageBrowser::fitPageTables, Qt::QueuedConnection);
    }
}

void PageBrowser::fitPageTables()
{
    fitTables(*document(), viewport()->width() - 2 * document()->documentMargin());
}

void PageBrowser::fitPictures()
{
    if (m_file.isEmpty() || !m_withPictures || viewport()->width() == m_fittedTo)
        return;
    m_fittedTo = viewport()->width();
    const int before = verticalScrollBar()->value();
    read();
    verticalScrollBar()->setValue(before);
}

} // namespace stagelens::ui
