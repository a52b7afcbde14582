#include "ui/plots/memory_ghost.h"

#include "ui/words/time_axis.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kSample = 20;
constexpr int kGap = 6;
constexpr int kGapBehind = 18;
} // namespace

void MemoryGhost::show(int device)
{
    profile = make && device >= 0 ? std::optional(make(device)) : std::nullopt;
}

QString MemoryGhost::text() const
{
    return profile ? u"%1 %2"_s.arg(bytesText(static_cast<double>(peak())), words) : QString();
}

int MemoryGhost::width(const QFontMetrics &metrics) const
{
    return profile ? kSample + kGap + metrics.horizontalAdvance(text()) + kGapBehind : 0;
}

void MemoryGhost::paint(QPainter &painter, const Colours &colours, int x, int height) const
{
    if (!profile)
        return;
    const double y = height / 2 + 0.5;
    painter.setPen(ghostPen(colours));
    painter.drawLine(QPointF(x, y), QPointF(x + kSample, y));
    painter.setPen(colours.muted);
    painter.drawText(QRect(x + kSample + kGap, 0, width(painter.fontMetrics()), height), Qt::AlignLeft | Qt::AlignVCenter,
                     text());
}

} // namespace stagelens::ui
