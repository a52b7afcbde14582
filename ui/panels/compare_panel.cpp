#include "ui/panels/compare_panel.h"

#include "ui/controls/chip_button.h"
#include "ui/controls/computing_sign.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/compare_table.h"
#include "ui/plots/plots.h"
#include "ui/plots/time_bars.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/plain_text.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kChipGap = 8;
constexpr int kChipHeight = 28;
constexpr int kNarrowestLoss = 280;
} // namespace

ComparePanel::ComparePanel(QWidget *parent)
    : QWidget(parent), m_view(new ViewState(this)), m_chips(new QWidget(this)), m_add(new QPushButton(Words::tr("Add"), this)),
      m_alignment(new QComboBox(this)), m_microbatch(new QSpinBox(this)),
      m_equalMemory(new QCheckBox(Words::tr("Only with A's memory or less"), this)),
      m_lecture(new QPushButton(Words::tr("As a lecture…"), this)), m_bar(new MessageBar(u"compare.bar"_s, this)),
      m_empty(new QWidget(this)), m_propose(new QPushButton(m_empty)),
      m_methods(new QPushButton(Words::tr("Compare the five vocabulary methods"), m_empty)), m_times(new TimeBars(this)),
      m_timeline(new TimelineView(m_view, this)), m_table(new CompareTable(this)), m_loss(new LossPlot(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)), m_below(new QSplitter(Qt::Horizontal, m_splitter)),
      m_computing(new ComputingSign(this))
{
    connect(m_computing, &ComputingSign::cancelled, this, &ComparePanel::cancelled);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(makeBar());
    layout->addWidget(m_bar);
    layout->addWidget(m_times);
    fillEmpty();
    layout->addWidget(m_empty, 1);
    m_loss->setObjectName(u"compare.loss"_s);
    m_loss->setMinimumWidth(kNarrowestLoss);
    m_below->addWidget(m_table);
    m_below->addWidget(m_loss);
    m_below->setStretchFactor(0, 3);
    m_below->setStretchFactor(1, 2);
    m_below->setChildrenCollapsible(false);
    m_splitter->addWidget(m_timeline);
    m_splitter->addWidget(m_below);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setChildrenCollapsible(false);
    layout->addWidget(m_splitter, 4);
    refresh();
}

void ComparePanel::fillEmpty()
{
    m_empty->setObjectName(u"compare.empty"_s);
    auto *column = new QVBoxLayout(m_empty);
    auto *sentence =
        plainLabel(Words::tr("Nothing to compare yet. Add predictions, files and runs above, or tick up to six runs in the "
                             "table of runs."),
                   m_empty);
    sentence->setAlignment(Qt::AlignCenter);
    sentence->setWordWrap(true);
    m_propose->setObjectName(u"compare.propose"_s);
    connect(m_propose, &QPushButton::clicked, this, &ComparePanel::proposalAsked);
    column->addStretch(1);
    column->addWidget(sentence);
    column->addSpacing(2 * kChipGap);
    column->addWidget(m_propose, 0, Qt::AlignHCenter);
    m_methods->setObjectName(u"compare.methods"_s);
    m_methods->setToolTip(Words::tr("This plan with each of the methods, side by side"));
    connect(m_methods, &QPushButton::clicked, this, &ComparePanel::methodsAsked);
    column->addWidget(m_methods, 0, Qt::AlignHCenter);
    column->addStretch(1);
    setProposal({});
}

void ComparePanel::setComputing(bool computing, bool isLong)
{
    m_computing->setState(computing, isLong);
}

void ComparePanel::setProposal(const QString &words)
{
    m_propose->setText(words);
    m_propose->setVisible(!words.isEmpty());
    m_methods->setVisible(!words.isEmpty());
}

QWidget *ComparePanel::makeBar()
{
    auto *bar = new QWidget(this);
    auto *rows = new QVBoxLayout(bar);
    rows->setContentsMargins(4, 4, 4, 0);
    rows->setSpacing(4);
    auto *chips = new QHBoxLayout(m_chips);
    chips->setContentsMargins({});
    chips->setSpacing(kChipGap);
    m_add->setFixedHeight(kChipHeight);
    // Add comes first, so that no chip pushes it away from the pointer.
    auto *chipRow = new QHBoxLayout;
    chipRow->setSpacing(kChipGap);
    chipRow->addWidget(m_add);
    chipRow->addWidget(m_chips, 1);
    m_add->setObjectName(u"compare.add"_s);
    m_add->setToolTip(Words::tr("Adds the current prediction, an experiment or a stored run"));
    auto *menu = new QMenu(m_add);
    m_add->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        menu->addAction(Words::tr("The current prediction"), this, &ComparePanel::predictionAsked);
        menu->addAction(Words::tr("Experiments from files…"), this, &ComparePanel::filesAsked);
        emit addMenuOpens(menu);
    });
    m_alignment->setObjectName(u"compare.alignment"_s);
    m_alignment->setAccessibleName(Words::tr("Alignment of the timelines"));
    m_alignment->addItems(
        {Words::tr("Start of the iteration"), Words::tr("Start of a microbatch"), Words::tr("Scaled to the length of A")});
    m_microbatch->setObjectName(u"compare.microbatch"_s);
    m_microbatch->setAccessibleName(Words::tr("Microbatch"));
    m_microbatch->setPrefix(Words::tr("microbatch "));
    m_equalMemory->setObjectName(u"compare.equalMemory"_s);
    m_equalMemory->setToolTip(Words::tr("Hides what needs more memory on a device than A"));
    auto *options = new QHBoxLayout;
    auto *caption = plainLabel(Words::tr("A&ligned by"), bar);
    caption->setBuddy(m_alignment);
    for (QWidget *widget : std::initializer_list<QWidget *>{caption, m_alignment, m_microbatch, m_equalMemory})
        options->addWidget(widget);
    options->addStretch(1);
    m_lecture->setObjectName(u"compare.lecture"_s);
    m_lecture->setToolTip(
        Words::tr("Adds each of these plans as a scene to the lecture, which is presented or written as slides"));
    connect(m_lecture, &QPushButton::clicked, this, &ComparePanel::lectureAsked);
    options->addWidget(m_lecture);
    rows->addLayout(chipRow);
    rows->addLayout(options);
    connect(m_alignment, &QComboBox::currentIndexChanged, this, &ComparePanel::refreshTimelines);
    connect(m_microbatch, &QSpinBox::valueChanged, this, &ComparePanel::refreshTimelines);
    connect(m_equalMemory, &QCheckBox::toggled, this, &ComparePanel::refresh);
    return bar;
}

void ComparePanel::setItems(std::vector<CompareItem> items)
{
    items.resize(std::min(items.size(), kMost));
    m_items = std::move(items);
    for (CompareItem &item : m_items)
        item.key = ++m_lastKey;
    refresh();
    m_view->fit();
}

void ComparePanel::add(CompareItem item)
{
    if (m_items.size() >= kMost)
        return;
    item.key = ++m_lastKey;
    m_items.push_back(std::move(item));
    refresh();
}

std::vector<CompareItem>::iterator ComparePanel::find(std::uint64_t key)
{
    return std::ranges::find(m_items, key, &CompareItem::key);
}

void ComparePanel::moveToFront(std::uint64_t key)
{
    const auto place = find(key);
    if (place == m_items.end())
        return;
    std::rotate(m_items.begin(), place, place + 1);
    refresh();
}

void ComparePanel::remove(std::uint64_t key)
{
    const auto place = find(key);
    if (place == m_items.end())
        return;
    m_items.erase(place);
    refresh();
}

bool ComparePanel::isHidden(std::size_t index) const
{
    return m_equalMemory->isChecked() && index > 0 && peakOf(m_items[0]) > 0 && peakOf(m_items[index]) > peakOf(m_items[0]);
}

std::vector<std::size_t> ComparePanel::shown() const
{
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < m_items.size(); ++i)
        if (!isHidden(i))
            indices.push_back(i);
    return indices;
}

void ComparePanel::refresh()
{
    m_empty->setVisible(m_items.empty());
    m_splitter->setVisible(!m_items.empty());
    m_add->setEnabled(m_items.size() < kMost);
    m_lecture->setEnabled(!m_items.empty());
    int microbatches = 1;
    for (const CompareItem &item : m_items)
        microbatches = std::max(microbatches, item.experiment.parallel.microbatches);
    m_microbatch->setRange(0, microbatches - 1);
    refreshChips();
    refreshTimelines();
    refreshTable();
    refreshLoss();
    emit itemsChanged();
}

void ComparePanel::refreshChips()
{
    while (QLayoutItem *item = m_chips->layout()->takeAt(0)) {
        if (QWidget *chip = item->widget()) {
            chip->hide();
            chip->setObjectName({});
            chip->deleteLater(); // its own menu may be asking for this
        }
        delete item;
    }
    auto *row = static_cast<QHBoxLayout *>(m_chips->layout());
    m_names = distinctNames(m_items);
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        QWidget *chip = makeChip(i);
        row->addWidget(chip);
        chip->show();
    }
    row->addStretch(1);
}

QWidget *ComparePanel::makeChip(std::size_t index)
{
    const CompareItem &item = m_items[index];
    auto *chip = new ChipButton(m_chips);
    chip->setObjectName(u"compare.chip."_s + chipOf(index));
    chip->setFixedHeight(kChipHeight);
    const QString &name = m_names[static_cast<qsizetype>(index)];
    QString text = index == 0 ? Words::tr("A (baseline)  ") + name : chipOf(index) + u"  "_s + name;
    if (isHidden(index))
        text =
            chipOf(index) + Words::tr("  hidden: needs %1, A %2").arg(bytesText(peakOf(item)), bytesText(peakOf(m_items[0])));
    chip->setText(text);
    chip->setAccessibleName(text);
    chip->setToolTip(plainTip(u"%1\n%2: %3"_s.arg(item.name, caption(item.kind), explanation(item.kind))));
    auto *menu = new QMenu(chip);
    // Queued: the chip and its menu are made anew. By its key: until then others may have changed places.
    const auto later = [this, menu](const QString &words, auto run) {
        connect(menu->addAction(words), &QAction::triggered, this, run, Qt::QueuedConnection);
    };
    if (index > 0)
        later(Words::tr("Make it A, the baseline"), [this, key = item.key] { moveToFront(key); });
    later(Words::tr("Remove"), [this, key = item.key] { remove(key); });
    chip->setMenu(menu);
    return chip;
}

void ComparePanel::refreshTimelines()
{
    const auto alignment = static_cast<Alignment>(m_alignment->currentIndex());
    m_microbatch->setVisible(alignment == Alignment::Microbatch);
    const std::vector<std::size_t> indices = shown();
    std::vector<timeline::TimelinePtr> timelines;
    for (const std::size_t i : indices)
        timelines.push_back(m_items[i].timeline);
    const auto aligned = align(timelines, alignment, m_microbatch->value());
    TimelineContent content;
    content.hasFlags = false;
    std::vector<TimeBars::Bar> bars;
    for (std::size_t n = 0; n < indices.size(); ++n) {
        const CompareItem &item = m_items[indices[n]];
        if (!item.timeline)
            continue;
        LaneGroup group;
        group.timeline = aligned[n].timeline;
        group.schedule = item.schedule;
        group.metrics = item.metrics;
        group.capacity = item.capacity;
        group.caption =
            u"%1 · %2 · %3"_s.arg(chipOf(indices[n]), caption(item.kind), m_names[static_cast<qsizetype>(indices[n])]);
        group.caption += typicalText(item.metrics);
        if (!aligned[n].mark.isEmpty())
            group.caption += u" · "_s + aligned[n].mark;
        content.groups.push_back(std::move(group));
        bars.push_back({chipOf(indices[n]), item.metrics, inTeachingUnits(item.experiment)});
    }
    m_times->setBars(std::move(bars));
    content.teachingUnits = !m_items.empty() && std::ranges::all_of(m_items, [](const CompareItem &item) {
        return inTeachingUnits(item.experiment);
    });
    m_timeline->setContent(std::move(content));
}

void ComparePanel::refreshTable()
{
    std::vector<CompareItem> items;
    QStringList header{Words::tr("What differs")};
    for (const std::size_t i : shown()) {
        items.push_back(m_items[i]);
        header << (i == 0 ? Words::tr("A, the baseline") : chipOf(i) + Words::tr(" against A"));
    }
    const Comparison comparison = compareItems(items);
    m_table->setComparison(comparison, header);
    if (comparison.doubts.isEmpty())
        m_bar->clear();
    else
        m_bar->say(MessageBar::Tone::Warning, comparison.doubts.join(u' '));
}

void ComparePanel::refreshLoss()
{
    std::vector<LossPlot::Curve> curves;
    std::set<int> vocabularies;
    for (const std::size_t i : shown()) {
        if (m_items[i].losses.empty())
            continue;
        curves.push_back({.name = chipOf(i), .losses = m_items[i].losses, .skipped = m_items[i].skipped});
        vocabularies.insert(m_items[i].experiment.model.vocabularySize);
    }
    m_loss->setVisible(!curves.empty());
    m_loss->setCurves(std::move(curves),
                      vocabularies.size() == 1 ? std::optional(std::log(*vocabularies.begin())) : std::nullopt);
    fitBelow();
}

void ComparePanel::fitBelow()
{
    m_below->setMaximumHeight(m_loss->isVisibleTo(m_below) ? QWIDGETSIZE_MAX : m_table->contentHeight());
}

void ComparePanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) // that of a presentation
        fitBelow();
}

} // namespace stagelens::ui
