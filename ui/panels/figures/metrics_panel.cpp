#include "ui/panels/figures/metrics_panel.h"
#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/words/plain_text.h"

#include "engine/service/plans/published.h"
#include "engine/service/search/equal_work.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QLabel *figure(QWidget *parent, const QString &name)
{
    auto *label = plainLabel(parent);
    label->setObjectName(name);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void muteLabel(QLabel *label)
{
    label->setForegroundRole(QPalette::PlaceholderText);
}

/// How long the ranks of a device exchange in its passes; `text` says which. Empty without such ranks.
QString exchangeNote(const simulate::Metrics &plan, const std::vector<base::Nanos> &times, const QString &text, bool units)
{
    if (times.empty())
        return {};
    const auto most = std::ranges::max_element(times);
    const auto device = most - times.begin();
    const base::Nanos busy = std::max<base::Nanos>(1, plan.busyPerDevice[static_cast<std::size_t>(device)]);
    return text.arg(durationText(*most, units), QString::number(device),
                    shareText(static_cast<double>(*most) / static_cast<double>(busy)));
}

base::Bytes greatest(const std::vector<base::Bytes> &bytes)
{
    return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

} // namespace

MetricsPanel::MetricsPanel(QWidget *parent) : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(0);
    m_provenance = figure(this, u"metrics.provenance"_s);
    m_provenance->setFont(scaled(font(), TypeSize::Small, QFont::DemiBold));
    m_provenance->setWordWrap(true);
    layout->addWidget(m_provenance);
    m_iteration =
        makeBig(u"iteration"_s, Words::tr("Iteration"), Words::tr("Time of one training step: all passes and the optimizer."));
    m_busy = figure(this, u"metrics.busy"_s);
    m_busy->setWordWrap(true);
    m_busy->hide();
    layout->addWidget(m_busy);
    m_byKind = new QPushButton(Words::tr("By pass kind…"), this);
    m_byKind->setObjectName(u"metrics.byKind"_s);
    m_byKind->setToolTip(Words::tr("Where the measured time differs from the predicted one"));
    m_byKind->setAutoDefault(false);
    m_byKind->hide();
    layout->addWidget(m_byKind, 0, Qt::AlignLeft);
    connect(m_byKind, &QPushButton::clicked, this, &MetricsPanel::passKindsAsked);
    m_bubble = makeBig(u"bubble"_s, Words::tr("Bubble"),
                       Words::tr("Share of the devices' time in which they wait: 1 − busy / (devices × makespan)."));
    m_memory = makeBig(u"memory"_s, Words::tr("Peak memory"), Words::tr("Most bytes that the tensors of one device hold."));
    m_form = new QFormLayout;
    m_form->setContentsMargins(0, 12, 0, 0);
    m_form->setVerticalSpacing(4);
    m_tokens = makeSmall(u"tokens"_s, Words::tr("Tokens/s"), Words::tr("Tokens trained in a second, all ranks together."));
    m_mfu = makeSmall(u"mfu"_s, u"MFU"_s, Words::tr("Model FLOP/s over the devices' peak."));
    m_bound = makeSmall(u"bound"_s, Words::tr("Lower bound"),
                        Words::tr("Least time that these passes on these devices can take, in any order. Another split of the "
                                  "work has another bound."));
    m_host = makeSmall(u"host"_s, Words::tr("Host memory"),
                       Words::tr("Most bytes that the host of a device holds: activations, optimizer state and weights."));
    m_form->setRowVisible(m_host, false);
    layout->addLayout(m_form);
    m_baseline = figure(this, u"metrics.baseline"_s);
    m_baseline->setWordWrap(true);
    layout->addSpacing(8);
    layout->addWidget(m_baseline);
    m_note = figure(this, u"metrics.note"_s);
    m_note->setWordWrap(true);
    layout->addSpacing(4);
    layout->addWidget(m_note);
}

MetricsPanel::Big MetricsPanel::makeBig(const QString &name, const QString &caption, const QString &tip)
{
    auto *column = static_cast<QVBoxLayout *>(layout());
    auto *title = plainLabel(caption, this);
    title->setToolTip(plainTip(tip));
    Big big{title, figure(this, u"metrics."_s + name), figure(this, u"metrics."_s + name + u".change"_s),
            figure(this, u"metrics."_s + name + u".measured"_s), figure(this, u"metrics."_s + name + u".published"_s)};
    big.value->setAccessibleName(caption);
    big.value->setToolTip(plainTip(tip));
    big.value->setFont(scaled(font(), TypeSize::Figure, QFont::DemiBold));
    big.change->setFont(scaled(font(), TypeSize::Text, QFont::DemiBold));
    muteLabel(title);
    auto *row = new QHBoxLayout;
    row->addWidget(big.value);
    row->addStretch(1);
    row->addWidget(big.change);
    column->addSpacing(8);
    column->addWidget(title);
    column->addLayout(row);
    column->addWidget(big.measured);
    column->addWidget(big.published);
    return big;
}

QLabel *MetricsPanel::makeSmall(const QString &name, const QString &caption, const QString &tip)
{
    QLabel *value = figure(this, u"metrics."_s + name);
    value->setAccessibleName(caption);
    value->setAlignment(Qt::AlignRight);
    auto *title = plainLabel(caption, this);
    title->setToolTip(plainTip(tip));
    value->setToolTip(plainTip(tip));
    m_form->addRow(title, value);
    return value;
}

void MetricsPanel::showProvenance(const Figures &figures)
{
    const bool isGeneral = isUnmeasured(*figures.plan);
    const QString beyond = isGeneral ? Words::tr("The times of this computer are general values until it is measured, which "
                                                 "takes some seconds after the first start.")
                                     : beyondMeasuredText(*figures.plan);
    const QString text = figures.stale      ? Words::tr("Predicted, of the last valid plan")
                         : isGeneral        ? Words::tr("Predicted with unmeasured costs")
                         : beyond.isEmpty() ? Words::tr("Predicted for %1")
                                            : Words::tr("Predicted for %1, beyond measured runs");
    m_provenance->setText(text.contains(u"%1"_s) ? text.arg(costCaption(figures.plan->experiment)) : text);
    m_provenance->setToolTip(plainTip(beyond));
}

void MetricsPanel::setFigures(const Figures &figures)
{
    if (!figures.plan) {
        for (QLabel *label : findChildren<QLabel *>(QRegularExpression(u"^metrics\\."_s)))
            label->clear();
        return;
    }
    const simulate::Metrics &plan = figures.plan->metrics;
    const bool units = inTeachingUnits(figures.plan->experiment);
    showProvenance(figures);
    m_iteration.value->setText(durationText(plan.iteration, units));
    m_bubble.value->setText(shareText(plan.bubbleRatio));
    const base::Bytes peak = greatest(plan.peakMemory);
    m_memory.title->setText(peakCaption(plan));
    m_memory.value->setAccessibleName(m_memory.title->text());
    m_memory.value->setText(plan.peakMemory.empty() ? kUnknown : bytesText(peak));
    QPalette peakInk = palette();
    if (figures.plan->memoryCapacity > 0 && peak > figures.plan->memoryCapacity)
        peakInk.setColor(QPalette::WindowText, coloursFor(peakInk).alarm);
    m_memory.value->setPalette(peakInk);
    m_tokens->setText(plan.tokensPerSecond ? rateText(*plan.tokensPerSecond) : kUnknown);
    m_mfu->setText(plan.mfu ? QString::number(*plan.mfu * 100, 'f', 1) + u" %"_s : kUnknown);
    m_bound->setText(plan.lowerBound ? boundText(plan, units) : kUnknown);
    m_host->setText(bytesText(greatest(plan.peakHost)));
    m_form->setRowVisible(m_host, !plan.peakHost.empty());
    const bool isOther = figures.baseline && figures.baseline->experiment != figures.plan->experiment;
    const std::string otherWork =
        isOther ? service::workDifference(figures.baseline->experiment, figures.plan->experiment) : std::string();
    const FigureChanges changes = changesOf(figures).value_or(FigureChanges());
    showChange(m_iteration.change, changes.iteration);
    showChange(m_bubble.change, changes.bubble);
    showChange(m_memory.change, changes.memory);
    const simulate::Metrics *baseline = figures.baseline ? &figures.baseline->metrics : nullptr;
    if (isOther && otherWork.empty())
        m_baseline->setText(Words::tr("Differences are against the baseline, %1: %2.")
                                .arg(figures.baselineName, durationText(baseline->iteration, units)));
    else if (isOther)
        m_baseline->setText(Words::tr("The baseline, %1: %2, is other work, so nothing is compared: %3.")
                                .arg(figures.baselineName, durationText(baseline->iteration, units), qtText(otherWork)));
    else // without one it is being computed, or has times of another unit
        m_baseline->setText(figures.baseline ? Words::tr("This plan is the baseline.") : QString());
    m_baseline->setToolTip(Words::tr("Ctrl+B makes the plan of the moment the baseline."));
    QString note = planNote(figures.plan->experiment);
    if (plan.steadyBubbleRatio && !figures.plan->timeline->weightVersions.empty())
        note += Words::tr("\nThe bubble is that of all steps; between their fill and drain it is %1.")
                    .arg(shareText(*plan.steadyBubbleRatio));
    if (plan.exposedExchange && (*plan.exposedExchange > 0 || plan.replicaPerDevice.empty()))
        note += (plan.contextPerDevice.empty()
                     ? Words::tr("\nThe exchange of the replicas takes %1 of the iteration; the rest of it is hidden.")
                     : Words::tr("\nThe sum of the gradients takes %1 of the iteration; the rest of it is hidden."))
                    .arg(durationText(*plan.exposedExchange, units));
    note +=
        exchangeNote(plan, plan.replicaPerDevice, Words::tr("\nReplicas exchange for %1 of device %2's passes (%3)."), units);
    note += exchangeNote(plan, plan.tensorPerDevice, Words::tr("\nTensor ranks exchange for %1 of device %2's passes (%3)."),
                         units);
    note += exchangeNote(plan, plan.contextPerDevice, Words::tr("\nContext ranks exchange for %1 of device %2's passes (%3)."),
                         units);
    note += exchangeNote(plan, plan.expertPerDevice, Words::tr("\nExpert ranks exchange for %1 of device %2's passes (%3)."),
                         units);
    if (figures.sensitivity)
        note += u'\n' + sensitivityNote(*figures.plan, *figures.sensitivity);
    if (figures.isSensitivityLate)
        note += Words::tr("\nThe what-ifs are being computed.");
    m_note->setText(note.trimmed());
    m_note->setVisible(!m_note->text().isEmpty());
    setMeasured(figures);
    setPublished(*figures.plan);
    for (QLabel *label : findChildren<QLabel *>(QRegularExpression(u"^metrics\\."_s)))
        label->setEnabled(!figures.stale);
}

void MetricsPanel::setPublished(const service::Prediction &plan)
{
    const service::PublishedResult *published = service::publishedFor(plan.experiment);
    m_bubble.published->hide(); // papers give none
    m_iteration.published->setVisible(published != nullptr);
    m_memory.published->setVisible(published != nullptr && published->peakMemory > 0);
    if (published == nullptr)
        return;
    const auto line = [&](QLabel *label, const QString &value, double predicted, double theirs) {
        label->setText(Words::tr("%1: %2 (predicted %3)")
                           .arg(caption(timeline::Provenance::Published), value, changeText(predicted, theirs)));
        label->setToolTip(plainTip(
            Words::tr("Measured by others: %1. In brackets: predicted against published.").arg(qtText(published->source))));
    };
    line(m_iteration.published, durationText(published->iteration), static_cast<double>(plan.metrics.iteration),
         static_cast<double>(published->iteration));
    line(m_memory.published, bytesText(published->peakMemory), static_cast<double>(greatest(plan.metrics.peakMemory)),
         static_cast<double>(published->peakMemory));
}

void MetricsPanel::setMeasured(const Figures &figures)
{
    const bool measured = figures.run && figures.run->record.metrics && figures.run->record.timeline;
    for (QLabel *label : {m_iteration.measured, m_bubble.measured, m_memory.measured})
        label->setVisible(measured);
    m_byKind->setVisible(measured && !figures.runDiffers);
    m_busy->setText(busyText(figures));
    m_busy->setVisible(!m_busy->text().isEmpty());
    if (!measured)
        return;
    const simulate::Metrics &run = *figures.run->record.metrics;
    const simulate::Metrics &plan = figures.plan->metrics;
    const auto line = [&](QLabel *label, const QString &value, double now, double predicted) {
        label->setText(measuredText(figures, value, now, predicted));
        label->setToolTip(plainTip(figures.runDiffers ? Words::tr("The run differs from this plan, so no error is shown.")
                                                      : Words::tr("In brackets: measured against predicted.")));
    };
    line(m_iteration.measured, durationText(run.iteration), static_cast<double>(run.iteration),
         static_cast<double>(plan.iteration));
    line(m_bubble.measured, shareText(run.bubbleRatio), run.bubbleRatio, 0);
    const base::Bytes peak = greatest(run.peakMemory);
    line(m_memory.measured, peak > 0 ? bytesText(peak) : kUnknown, static_cast<double>(peak),
         peak > 0 ? static_cast<double>(greatest(plan.peakMemory)) : 0);
}

} // namespace stagelens::ui
