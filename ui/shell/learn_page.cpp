#include "ui/shell/learn_page.h"

#include "engine/base/file.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "ui/bridge/words.h"
#include "ui/models/experiment_document.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImage>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QTreeWidget>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPathRole = Qt::UserRole;
constexpr int kExampleRole = Qt::UserRole + 1;
constexpr int kContentsWidth = 230;
constexpr int kWidestText = 860; ///< longer lines are hard to read

QDir resourceDir(const QString &folder)
{
    return QDir(qtText((base::resourceFolder() / utf8(folder)).string()));
}

/// The first heading of a page.
QString titleOf(const QString &file)
{
    QFile page(file);
    if (!page.open(QIODevice::ReadOnly))
        return QFileInfo(file).baseName();
    const QString line = QString::fromUtf8(page.readLine()).trimmed();
    return line.startsWith(u"# "_s) ? line.mid(2) : QFileInfo(file).baseName();
}

/// Markdown whose pictures are never wider than the text.
class PageBrowser : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;

protected:
    QVariant loadResource(int type, const QUrl &name) override
    {
        const QVariant found = QTextBrowser::loadResource(type, name);
        if (type != QTextDocument::ImageResource)
            return found;
        QImage image;
        if (found.typeId() == QMetaType::QByteArray)
            image.loadFromData(found.toByteArray());
        else
            image = found.value<QImage>();
        const int room = std::max(viewport()->width() - 2 * static_cast<int>(document()->documentMargin()) - 4, 100);
        return image.width() > room ? image.scaledToWidth(room, Qt::SmoothTransformation) : image;
    }
    void resizeEvent(QResizeEvent *event) override
    {
        const int margin = std::max((width() - kWidestText) / 2, 12);
        setViewportMargins(margin, 8, margin, 8);
        QTextBrowser::resizeEvent(event);
        // The pictures follow the width. Later: a scroll bar that comes while a page is read in resizes as well.
        if (event->size().width() != event->oldSize().width())
            QMetaObject::invokeMethod(this, &PageBrowser::fitPictures, Qt::QueuedConnection);
    }

private:
    void fitPictures()
    {
        if (source().isEmpty() || viewport()->width() == m_fittedTo)
            return;
        m_fittedTo = viewport()->width();
        const int before = verticalScrollBar()->value();
        reload();
        verticalScrollBar()->setValue(before);
    }
    int m_fittedTo = 0;
};

} // namespace

LearnPage::LearnPage(QWidget *parent)
    : QWidget(parent), m_contents(new QTreeWidget(this)), m_text(new PageBrowser(this)), m_try(new QPushButton(this))
{
    m_contents->setObjectName(u"learn.contents"_s);
    m_contents->setAccessibleName(u"Contents"_s);
    m_contents->setHeaderHidden(true);
    m_contents->setFrameShape(QFrame::NoFrame);
    m_text->setObjectName(u"learn.text"_s);
    m_text->setAccessibleName(u"Page"_s);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenExternalLinks(true);
    m_try->setObjectName(u"learn.try"_s);
    auto *page = new QWidget(this);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(12, 6, 12, 6);
    row->addStretch(1);
    row->addWidget(m_try);
    column->addLayout(row);
    column->addWidget(m_text, 1);
    auto *splitter = new QSplitter(this);
    splitter->addWidget(m_contents);
    splitter->addWidget(page);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({kContentsWidth, 900});
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    m_try->hide();
    connect(m_contents, &QTreeWidget::currentItemChanged, this, &LearnPage::choose);
    connect(m_text, &QTextBrowser::sourceChanged, this,
            [this](const QUrl &url) { offer(resourceDir(u"docs"_s).relativeFilePath(url.toLocalFile())); });
    connect(m_try, &QPushButton::clicked, this, [this] {
        const QString name = QFileInfo(m_page).completeBaseName();
        if (const auto method = model::parse<model::VocabularyMethod>(utf8(name));
            m_page.startsWith(u"vocabulary/"_s) && method)
            emit methodAsked(*method);
        else if (m_page.startsWith(u"schedules/"_s))
            emit familyAsked(name);
        else if (QTreeWidgetItem *item = m_contents->currentItem())
            emit exampleAsked(item->data(0, kExampleRole).toString());
    });
}

void LearnPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_contents->topLevelItemCount() == 0) {
        fill();
        showPage(u"tutorials/first-steps.md"_s);
    }
}

void LearnPage::fill()
{
    addFolder(u"Start here"_s, {},
              {u"tutorials/first-steps.md"_s, u"the-window.md"_s, u"tutorials/comparing.md"_s, u"understanding-the-bubble.md"_s,
               u"glossary.md"_s});
    auto *examples = new QTreeWidgetItem(m_contents, {u"Examples"_s});
    for (const QFileInfo &file : resourceDir(u"examples"_s).entryInfoList({u"*.stagelens.json"_s}, QDir::Files, QDir::Name)) {
        auto *item = new QTreeWidgetItem(examples, {titleOfFile(file.filePath())});
        item->setData(0, kExampleRole, file.filePath());
    }
    QStringList methods;
    for (const char16_t *name : {u"none", u"redis", u"vocab-naive", u"vocab-1", u"vocab-2", u"arithmetic"})
        methods << u"vocabulary/"_s + QString::fromUtf16(name) + u".md"_s;
    addFolder(u"Vocabulary layers"_s, {}, methods);
    QStringList families;
    for (const auto &family : schedule::families())
        families << qtText(family.name) + u".md"_s;
    families << u"auto.md"_s;
    addFolder(u"Schedules"_s, u"schedules/"_s, families);
    QStringList more{u"custom-schedules.md"_s, u"measurements.md"_s, u"architecture.md"_s};
    for (const QString &name : resourceDir(u"docs/decisions"_s).entryList({u"0*.md"_s}, QDir::Files, QDir::Name))
        more << u"decisions/"_s + name;
    addFolder(u"How Stagelens works"_s, {}, more);
    m_contents->expandAll();
    m_contents->topLevelItem(m_contents->topLevelItemCount() - 1)->setExpanded(false);
}

void LearnPage::addFolder(const QString &caption, const QString &folder, const QStringList &names)
{
    auto *group = new QTreeWidgetItem(m_contents, {caption});
    group->setFlags(Qt::ItemIsEnabled);
    const QDir docs = resourceDir(u"docs"_s);
    for (const QString &name : names) {
        if (!docs.exists(folder + name))
            continue;
        auto *item = new QTreeWidgetItem(group, {titleOf(docs.filePath(folder + name))});
        item->setToolTip(0, item->text(0));
        item->setData(0, kPathRole, folder + name);
    }
}

void LearnPage::showPage(const QString &path)
{
    m_text->setSource(QUrl::fromLocalFile(resourceDir(u"docs"_s).filePath(path)), QTextDocument::MarkdownResource);
}

void LearnPage::choose(QTreeWidgetItem *item)
{
    if (item == nullptr)
        return;
    if (const QString path = item->data(0, kPathRole).toString(); !path.isEmpty() && path != m_page)
        showPage(path);
    if (const QString file = item->data(0, kExampleRole).toString(); !file.isEmpty()) {
        m_page.clear();
        m_text->setMarkdown(u"# %1\n\nAn experiment that opens in Explore. It replaces the plan on the desk; Undo brings that "
                            "back."_s.arg(item->text(0)));
        m_try->setText(u"Open “%1”"_s.arg(item->text(0)));
        m_try->show();
    }
}

void LearnPage::offer(const QString &path)
{
    m_page = path;
    const QString name = QFileInfo(path).completeBaseName();
    const auto method = model::parse<model::VocabularyMethod>(utf8(name));
    const bool isMethod = path.startsWith(u"vocabulary/"_s) && method;
    m_try->setVisible(isMethod || path.startsWith(u"schedules/"_s));
    if (isMethod)
        m_try->setText(u"Try “%1” in Explore"_s.arg(caption(*method)));
    else if (m_try->isVisibleTo(this))
        m_try->setText(u"Try %1 in Explore"_s.arg(familyCaption(utf8(name))));
    // A page that was reached by a link is current in the contents as well.
    for (QTreeWidgetItemIterator at(m_contents); *at; ++at)
        if ((*at)->data(0, kPathRole).toString() == path)
            m_contents->setCurrentItem(*at);
}

} // namespace stagelens::ui
