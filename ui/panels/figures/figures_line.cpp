#include "ui/panels/figures/figures_line.h"

#include "ui/canvas/design.h"
#include "ui/controls/flow_layout.h"
#include "ui/panels/figures/figures.h"
#include "ui/words/plain_text.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kPairGap = 5 * kGrid;
constexpr int kNarrowGap = 3 * kGrid;
const QStringList kNames{u"iteration"_s, u"bubble"_s, u"memory"_s, u"tokens"_s, u"mfu"_s, u"bound"_s, u"measured"_s, u"busy"_s};
constexpr std::size_t kMemory = 2; ///< in kNames
constexpr std::size_t kBound = 5;

/// The values in the order of kNames; an empty one is not shown.
QStringList values(const Figures &figures)
{
    if (!figures.plan)
        return {};
    const simulate::Metrics &plan = figures.plan->metrics;
    const bool units = inTeachingUnits(figures.plan->experiment);
    const base::Bytes peak = plan.peakMemory.empty() ? 0 : std::ranges::max(plan.peakMemory);
    QString measured;
    if (figures.run && figures.run->record.metrics && figures.run->record.timeline) {
        const base::Nanos time = figures.run->record.metrics->iteration;
        measured = measuredText(figures, durationText(time), static_cast<double>(time), static_cast<double>(plan.iteration));
    }
    return {durationText(plan.iteration, units),
            shareText(plan.bubbleRatio),
            plan.peakMemory.empty() ? kUnknown : bytesText(peak),
            plan.tokensPerSecond ? rateText(*plan.tokensPerSecond) : QString(),
            plan.mfu ? QString::number(*plan.mfu * 100, 'f', 1) + u" %"_s : QString(),
            boundText(plan, units),
            measured,
            busyText(figures).isEmpty() ? QString() : Words::tr("Machine busy")};
}
} // namespace

FiguresLine::FiguresLine(QWidget *parent) : QWidget(parent), m_flow(new FlowLayout(this, kPairGap, kGrid))
{
    setObjectName(u"figures.line"_s);
    m_flow->setContentsMargins(kPanelMargin, 0, kPanelMargin, 0);
    const QStringList captions{Words::tr("Iteration"),
                               Words::tr("Bubble"),
                               Words::tr("Peak memory"),
                               Words::tr("Tokens/s"),
                               u"MFU"_s,
                               Words::tr("Lower bound"),
                               QString(),
                               QString()};
    for (qsizetype i = 0; i < kNames.size(); ++i) {
        auto *both = new QWidget(this);
        auto *row = new QHBoxLayout(both);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(kGrid);
        QLabel *name = plainLabel(captions[i], both);
        name->setForegroundRole(QPalette::PlaceholderText);
        name->setVisible(!captions[i].isEmpty());
        QLabel *value = plainLabel(both);
        value->setObjectName(u"figures.line."_s + kNames[i]);
        value->setAccessibleName(captions[i]);
        value->setFont(scaled(font(), TypeSize::Text, QFont::DemiBold));
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        QLabel *change = plainLabel(both);
        change->setObjectName(u"figures.line."_s + kNames[i] + u".change"_s);
        change->setTextInteractionFlags(Qt::TextSelectableByMouse);
        change->hide();
        for (QLabel *label : {name, value, change})
            row->addWidget(label);
        m_flow->addWidget(both);
        m_pairs.push_back({both, name, value, change});
    }
}

void FiguresLine::setFigures(const Figures &figures)
{
    const QStringList texts = values(figures);
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        const QString text = texts.value(static_cast<qsizetype>(i));
        m_pairs[i].value->setText(text);
        m_pairs[i].both->setVisible(!text.isEmpty());
    }
    const FigureChanges changes = changesOf(figures).value_or(FigureChanges());
    std::size_t pair = 0;
    for (const FigureChange *change : {&changes.iteration, &changes.bubble, &changes.memory})
        showChange(m_pairs[pair++].change, *change);
    if (figures.plan)
        m_peakName = peakCaption(figures.plan->metrics);
    m_pairs.back().value->setToolTip(plainTip(busyText(figures)));
    setEnabled(!figures.stale);
    fit();
}

int FiguresLine::neededWidth(int gap) const
{
    int width = 2 * kPanelMargin - gap;
    for (const Pair &pair : m_pairs)
        if (!pair.both->isHidden())
            width += pair.both->sizeHint().width() + gap;
    return width;
}

void FiguresLine::fit()
{
    const auto name = [this](std::size_t pair, const QString &text, const QString &whole) {
        m_pairs[pair].name->setText(text);
        m_pairs[pair].name->setToolTip(plainTip(text == whole ? QString() : whole));
        m_pairs[pair].both->layout()->activate();
    };
    name(kMemory, m_peakName, m_peakName);
    name(kBound, Words::tr("Lower bound"), Words::tr("Lower bound"));
    const bool isNarrow = neededWidth(kPairGap) > width();
    m_flow->setHorizontalGap(isNarrow ? kNarrowGap : kPairGap);
    if (!isNarrow || neededWidth(kNarrowGap) <= width())
        return;
    name(kMemory, Words::tr("Peak"), m_peakName);
    name(kBound, Words::tr("Bound"), Words::tr("Lower bound"));
}

void FiguresLine::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace stagelens::ui
