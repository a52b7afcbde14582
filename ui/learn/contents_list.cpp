#include "ui/learn/contents_list.h"

#include "engine/base/file.h"
#include "engine/schedule/families.h"
#include "ui/learn/page_files.h"
#include "ui/state/experiment_document.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPathRole = Qt::UserRole;
constexpr int kKindRole = Qt::UserRole + 1;
constexpr int kEnglishRole = Qt::UserRole + 2; ///< the title in English, by which a translated page is found too
constexpr int kWidestContents = 330;
constexpr int kContentsMargin = 20; ///< for its scroll bar
constexpr int kContentsIndent = 16;
constexpr int kRowRoom = 8; ///< around the text of a row
constexpr qint64 kLongestPage = 1 << 20;

/// Returns the tours of a folder in the order of the numbers that their names begin with.
QStringList numbered(const QDir &folder)
{
    QStringList names = folder.entryList({u"*.tour"_s}, QDir::Files, QDir::Name);
    std::ranges::stable_sort(names, {}, [](const QString &name) { return name.section(u'-', 0, 0).toInt(); });
    return names;
}

/// Returns the heading in the first line of a file; its name without one.
QString headingOf(const QString &file)
{
    QFile page(file);
    if (!page.open(QIODevice::ReadOnly))
        return QFileInfo(file).baseName();
    const QString line = QString::fromUtf8(page.readLine()).trimmed();
    return line.startsWith(u"# "_s) ? line.mid(2) : QFileInfo(file).baseName();
}

bool isEntry(const QTreeWidgetItem &item)
{
    return !item.data(0, kPathRole).toString().isEmpty();
}

LearnEntry entryOf(const QTreeWidgetItem &item)
{
    return {static_cast<LearnEntry::Kind>(item.data(0, kKindRole).toInt()), item.text(0), item.data(0, kPathRole).toString()};
}

LearnEntry::Kind kindOfPage(const QString &path)
{
    if (!path.endsWith(u".tour"_s))
        return LearnEntry::Kind::Page;
    if (path.startsWith(u"challenges/"_s))
        return LearnEntry::Kind::Challenge;
    return path.startsWith(u"scenes/"_s) ? LearnEntry::Kind::Scene : LearnEntry::Kind::Tour;
}

} // namespace

QString titleOfPage(const QString &path)
{
    return headingOf(pageFile(path));
}

LearnEntry entryOfPage(const QString &path)
{
    return {kindOfPage(path), titleOfPage(path), path};
}

ContentsList::ContentsList(QWidget *parent) : QWidget(parent), m_search(new QLineEdit(this)), m_tree(new QTreeWidget(this))
{
    m_search->setObjectName(u"learn.search"_s);
    m_search->setPlaceholderText(Words::tr("Search in Learn"));
    m_search->setAccessibleName(Words::tr("Search in Learn"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    m_tree->setObjectName(u"learn.contents"_s);
    m_tree->setAccessibleName(Words::tr("Contents"));
    m_tree->setHeaderHidden(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setIndentation(kContentsIndent);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_search);
    layout->addWidget(m_tree, 1);
    connect(m_search, &QLineEdit::textChanged, this, &ContentsList::filter);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem *item) {
        if (item != nullptr && isEntry(*item))
            emit chosen(entryOf(*item));
    });
}

void ContentsList::fill()
{
    addFolder(Words::tr("Start here"), {},
              {u"tutorials/first-steps.md"_s, u"the-window.md"_s, u"tutorials/comparing.md"_s, u"understanding-the-bubble.md"_s,
               u"command-line.md"_s, u"glossary.md"_s});
    for (const auto &[caption, folder] :
         {std::pair{Words::tr("Scenes"), u"scenes/"_s}, std::pair{Words::tr("Tours"), u"tours/"_s},
          std::pair{Words::tr("Challenges"), u"challenges/"_s}})
        addFolder(caption, folder, numbered(docsFolder().filePath(folder)));
    addExamples();
    QStringList methods;
    for (const model::VocabularyTraits &method : model::kVocabularyChoices)
        methods << u"vocabulary/"_s + qtText(method.name) + u".md"_s;
    methods << u"vocabulary/arithmetic.md"_s << u"vocabulary/recomputed-logits.md"_s << u"vocabulary/chunked-logits.md"_s
            << u"vocabulary/smaller.md"_s << u"vocabulary/factorised.md"_s << u"vocabulary/hashed-input.md"_s
            << u"vocabulary/output-heads.md"_s << u"vocabulary/adaptive-softmax.md"_s << u"vocabulary/sampled-softmax.md"_s;
    addFolder(Words::tr("Vocabulary layers"), {}, methods);
    QStringList families;
    for (const auto &family : schedule::families())
        families << qtText(family.name) + u".md"_s;
    families << u"auto.md"_s;
    addFolder(Words::tr("Schedules"), u"schedules/"_s, families);
    addFolder(Words::tr("Many ranks"), {},
              {u"tensor-parallelism.md"_s, u"context-parallelism.md"_s, u"data-parallelism.md"_s, u"gradient-compression.md"_s,
               u"message-precision.md"_s, u"clusters.md"_s, u"planning.md"_s, u"sensitivity.md"_s, u"stragglers.md"_s,
               u"launching.md"_s});
    addFolder(Words::tr("Training for real"), {},
              {u"models.md"_s, u"experts.md"_s, u"precision.md"_s, u"memory.md"_s, u"recomputation.md"_s,
               u"stored-activations.md"_s, u"offload.md"_s, u"checkpoints.md"_s, u"training-on-gpus.md"_s,
               u"several-machines.md"_s});
    QStringList more{u"custom-schedules.md"_s, u"measurements.md"_s, u"gpu-kernels.md"_s, u"architecture.md"_s};
    for (const QString &name : QDir(docsFolder().filePath(u"decisions"_s)).entryList({u"0*.md"_s}, QDir::Files, QDir::Name))
        more << u"decisions/"_s + name;
    QTreeWidgetItem *works = addFolder(Words::tr("How Stagelens works"), {}, more);
    for (QTreeWidgetItemIterator at(m_tree); *at; ++at)
        (*at)->setSizeHint(0, {fontMetrics().horizontalAdvance((*at)->text(0)) + kRowRoom, fontMetrics().height() + kRowRoom});
    m_tree->expandAll();
    m_tree->setMinimumWidth(
        std::min(kWidestContents, static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(0) + kContentsMargin));
    works->setExpanded(false);
}

QTreeWidgetItem *ContentsList::addFolder(const QString &caption, const QString &folder, const QStringList &names)
{
    auto *group = new QTreeWidgetItem(m_tree, {caption});
    group->setFlags(Qt::ItemIsEnabled);
    const QDir docs = docsFolder();
    for (const QString &name : names) {
        if (!docs.exists(folder + name))
            continue;
        auto *item = new QTreeWidgetItem(group, {titleOfPage(folder + name)});
        item->setToolTip(0, plainTip(item->text(0)));
        item->setData(0, kPathRole, folder + name);
        item->setData(0, kKindRole, static_cast<int>(kindOfPage(folder + name)));
        item->setData(0, kEnglishRole, headingOf(docs.filePath(folder + name)));
    }
    return group;
}

void ContentsList::addExamples()
{
    auto *examples = new QTreeWidgetItem(m_tree, {Words::tr("Examples")});
    examples->setFlags(Qt::ItemIsEnabled);
    const QDir folder(qtText((base::resourceFolder() / "examples").string()));
    for (const QFileInfo &file : folder.entryInfoList({u"*.stagelens.json"_s}, QDir::Files, QDir::Name)) {
        auto *item = new QTreeWidgetItem(examples, {titleOfFile(file.filePath())});
        item->setToolTip(0, plainTip(item->text(0)));
        item->setData(0, kPathRole, file.filePath());
        item->setData(0, kKindRole, static_cast<int>(LearnEntry::Kind::Example));
    }
}

QList<LearnEntry> ContentsList::entries() const
{
    QList<LearnEntry> all;
    for (QTreeWidgetItemIterator at(m_tree); *at; ++at)
        if (isEntry(**at))
            all << entryOf(**at);
    return all;
}

void ContentsList::setCurrent(const LearnEntry &entry)
{
    const QSignalBlocker quiet(m_tree);
    for (QTreeWidgetItemIterator at(m_tree); *at; ++at)
        if ((*at)->data(0, kPathRole).toString() == entry.path)
            m_tree->setCurrentItem(*at);
}

void ContentsList::clearCurrent()
{
    const QSignalBlocker quiet(m_tree);
    m_tree->setCurrentItem(nullptr);
}

void ContentsList::startSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

bool ContentsList::matches(const QTreeWidgetItem &item, const QStringList &words)
{
    const QString path = item.data(0, kPathRole).toString();
    QString &text = m_texts[path];
    if (text.isEmpty()) {
        QStringList files{docsFolder().filePath(path)}; // what is translated is found by its English words, too
        if (const QString shown = pageFile(path); shown != files.front())
            files << shown;
        text = item.text(0).toLower();
        for (const QString &file : files)
            if (QFile page(file); !path.endsWith(u".json"_s) && page.open(QIODevice::ReadOnly))
                text += u'\n' + QString::fromUtf8(page.read(kLongestPage)).toLower();
    }
    return std::ranges::all_of(words, [&text](const QString &word) { return text.contains(word); });
}

void ContentsList::filter(const QString &text)
{
    const QStringList words = text.toLower().split(u' ', Qt::SkipEmptyParts);
    for (int group = 0; group < m_tree->topLevelItemCount(); ++group) {
        QTreeWidgetItem *folder = m_tree->topLevelItem(group);
        bool isAny = false;
        for (int i = 0; i < folder->childCount(); ++i) {
            const bool isFound = words.isEmpty() || matches(*folder->child(i), words);
            folder->child(i)->setHidden(!isFound);
            isAny = isAny || isFound;
        }
        folder->setHidden(!isAny);
        if (!words.isEmpty())
            folder->setExpanded(true);
    }
}

bool ContentsList::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_search || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent *>(event)->key();
    if (key == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
        return true;
    }
    if (key != Qt::Key_Return && key != Qt::Key_Enter && key != Qt::Key_Down)
        return QWidget::eventFilter(watched, event);
    const QStringList words = m_search->text().toLower().split(u' ', Qt::SkipEmptyParts);
    QTreeWidgetItem *best = nullptr; // the first whose title has the words, else the first at all
    for (QTreeWidgetItemIterator at(m_tree, QTreeWidgetItemIterator::NotHidden); *at; ++at) {
        if (!isEntry(**at) || (*at)->parent()->isHidden())
            continue;
        const QString title = ((*at)->text(0) + u'\n' + (*at)->data(0, kEnglishRole).toString()).toLower();
        const bool isTitle = std::ranges::all_of(words, [&title](const QString &word) { return title.contains(word); });
        if (best == nullptr || isTitle)
            best = *at;
        if (isTitle)
            break;
    }
    if (best != nullptr) {
        m_tree->setCurrentItem(best);
        m_tree->setFocus(Qt::OtherFocusReason);
    }
    return true;
}

} // namespace stagelens::ui
