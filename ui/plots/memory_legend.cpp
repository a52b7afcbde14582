#include "ui/plots/memory_legend.h"

#include "ui/plots/plot_style.h"
#include "ui/plots/plots.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <algorithm>
#include <array>

namespace stagelens::ui {
namespace {

constexpr std::array kCategoryNames{QT_TRANSLATE_NOOP("Words", "parameters"), QT_TRANSLATE_NOOP("Words", "gradients"),
                                    QT_TRANSLATE_NOOP("Words", "optimizer"),  QT_TRANSLATE_NOOP("Words", "activations"),
                                    QT_TRANSLATE_NOOP("Words", "vocabulary"), QT_TRANSLATE_NOOP("Words", "communication"),
                                    QT_TRANSLATE_NOOP("Words", "workspace")};
static_assert(kCategoryNames.size() == simulate::kMemoryCategoryCount);
constexpr int kEntryGap = 13;

std::vector<MemoryLegendEntry> entries(const simulate::MemoryByCategory &peak, const QFontMetrics &metrics, int left, int from,
                                       int right, bool figures)
{
    std::vector<MemoryLegendEntry> placed;
    int x = from;
    int row = 0;
    for (std::size_t i = 0; i < peak.size(); ++i) {
        if (peak[i] <= 0)
            continue;
        QString text = Words::tr(kCategoryNames[i]);
        if (figures)
            text += QChar(u' ') + bytesText(static_cast<double>(peak[i]));
        const int width = metrics.ascent() + 5 + metrics.horizontalAdvance(text);
        if (x + width > right && x > left) {
            x = left;
            ++row;
        }
        placed.push_back({i, text, QPoint(x, row)});
        x += width + kEntryGap;
    }
    return placed;
}

} // namespace

std::vector<MemoryLegendEntry> memoryLegend(const simulate::MemoryByCategory &peak, const QFontMetrics &metrics, int left,
                                            int from, int right)
{
    auto placed = entries(peak, metrics, left, from, right, true);
    if (!placed.empty() && placed.back().place.y() > 1)
        placed = entries(peak, metrics, left, from, right, false);
    return placed;
}

QString microbatchesText(base::Bytes held)
{
    const QString count = QString::number(static_cast<double>(held) / static_cast<double>(kMicrobatch), 'g', 3);
    return (held == kMicrobatch ? Words::tr("%1 microbatch") : Words::tr("%1 microbatches")).arg(count);
}

QString heldPeakText(int device, base::Bytes held)
{
    return Words::tr("Device %1 holds the activations of at most %2").arg(device).arg(microbatchesText(held));
}

QString memoryPeakText(int device, base::Bytes peak, const std::vector<double> &activations)
{
    QString text = Words::tr("Device %1: peak %2").arg(device).arg(bytesText(static_cast<double>(peak)));
    if (static_cast<std::size_t>(device) < activations.size()) {
        const QString held = QString::number(activations[static_cast<std::size_t>(device)], 'g', 3);
        text += (held == QStringLiteral("1") ? Words::tr(", activations of %1 microbatch")
                                             : Words::tr(", activations of %1 microbatches"))
                    .arg(held);
    }
    return text;
}

QString memoryTable(const std::vector<MemoryMoment> &moments)
{
    QStringList lines;
    const auto addLine = [&](const QString &name, const auto &bytesOf) {
        QString line = name;
        for (const MemoryMoment &moment : moments)
            line += u'\t' + bytesText(static_cast<double>(bytesOf(moment)));
        lines << line;
    };
    if (moments.size() > 1) {
        QString names;
        for (const MemoryMoment &moment : moments)
            names += u'\t' + moment.name;
        lines << names;
    }
    for (std::size_t i = 0; i < kCategoryNames.size(); ++i)
        if (std::ranges::any_of(moments, [i](const MemoryMoment &moment) { return moment.bytes[i] > 0; }))
            addLine(Words::tr(kCategoryNames[i]), [i](const MemoryMoment &moment) { return moment.bytes[i]; });
    addLine(Words::tr("total"), [](const MemoryMoment &moment) { return simulate::MemoryStep{0, moment.bytes}.total(); });
    return lines.join(u'\n');
}

} // namespace stagelens::ui
