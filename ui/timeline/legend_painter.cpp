// What the fills mean: the kinds that occur, or microbatches, chunks or slack.
#include "ui/timeline/rows/streams.h"
#include "ui/timeline/scene.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QPainter>

#include <array>

namespace stagelens::ui {
namespace {

using schedule::PassKind;

struct LegendEntry {
    std::array<PassKind, 2> kinds; ///< shown when either occurs
    const char *text;
};
constexpr std::array kLegend{
    LegendEntry{{PassKind::F, PassKind::F}, QT_TRANSLATE_NOOP("Words", "F forward")},
    LegendEntry{{PassKind::B, PassKind::B}, QT_TRANSLATE_NOOP("Words", "B backward")},
    LegendEntry{{PassKind::I, PassKind::I}, QT_TRANSLATE_NOOP("Words", "I input gradient")},
    LegendEntry{{PassKind::W, PassKind::W}, QT_TRANSLATE_NOOP("Words", "W weight gradient")},
    LegendEntry{{PassKind::S, PassKind::S}, QT_TRANSLATE_NOOP("Words", "S output layer, softmax")},
    LegendEntry{{PassKind::U, PassKind::U}, QT_TRANSLATE_NOOP("Words", "U between barriers")},
    LegendEntry{{PassKind::T, PassKind::T}, QT_TRANSLATE_NOOP("Words", "T output layer, gradients")},
    LegendEntry{{PassKind::EF, PassKind::EB}, QT_TRANSLATE_NOOP("Words", "Embedding")},
    LegendEntry{{PassKind::O, PassKind::O}, QT_TRANSLATE_NOOP("Words", "O optimizer")},
};

class LegendPainter {
public:
    LegendPainter(QPainter &painter, const Scene &scene)
        : m_painter(painter), m_scene(scene), m_colours(*scene.colours), m_metrics(scene.font), m_x(scene.layout.legend.left())
    {
        painter.setFont(scene.font);
    }
    /// How many words: all, fewer beside what is no pass, or only the letters of passes too.
    enum class Length : unsigned char { Full, Brief, Letters };
    void setLength(Length length) { m_length = length; }
    /// Without drawing, to see whether all fits.
    void setDrawing(bool draws) { m_draws = draws; }
    [[nodiscard]] bool fits() const { return m_fits; }
    void kinds();
    void microbatches();
    void chunks();
    void slack();
    void messages();

private:
    void swatch(const QColor &fill, const QColor &lines, const QString &text);
    void words(const QString &text);
    [[nodiscard]] bool isBrief() const { return m_length != Length::Full; }
    QPainter &m_painter;
    const Scene &m_scene;
    const Colours &m_colours;
    QFontMetrics m_metrics;
    int m_x;
    Length m_length = Length::Full;
    bool m_draws = true;
    bool m_fits = true;
};

void LegendPainter::words(const QString &text)
{
    const QRect &row = m_scene.layout.legend;
    const int width = m_metrics.horizontalAdvance(text);
    if (m_x + width > row.right()) {
        m_fits = false;
        return;
    }
    m_painter.setPen(m_colours.ink);
    if (m_draws)
        m_painter.drawText(QRect(m_x, row.top(), width + 2, row.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    m_x += width + 16;
}

void LegendPainter::swatch(const QColor &fill, const QColor &lines, const QString &text)
{
    const QRect &row = m_scene.layout.legend;
    const int size = m_metrics.ascent();
    if (m_x + size + 10 + m_metrics.horizontalAdvance(text) > row.right()) {
        m_fits = false;
        return;
    }
    const QRect box(m_x, row.center().y() - size / 2 + 1, size + 3, size);
    const QRect inner = box.adjusted(1, 1, -1, -1);
    if (m_draws) {
        m_painter.fillRect(box, edgeOf(fill));
        m_painter.fillRect(inner, fill);
    }
    if (m_draws && lines.isValid()) {
        m_painter.setPen(QPen(lines, 1));
        m_painter.drawLines(hatchLines(inner, 5));
    }
    m_x = box.right() + 6;
    words(text);
}

void LegendPainter::kinds()
{
    std::array<bool, schedule::kPassKindCount> present{};
    bool hidden = false;
    int chunks = 1;
    for (const GroupSums &sums : *m_scene.sums) {
        for (std::size_t kind = 0; kind < present.size(); ++kind)
            present[kind] = present[kind] || sums.total.kinds[kind] > 0;
        hidden = hidden || sums.total.hiddenVocabulary > 0;
        chunks = std::max(chunks, sums.chunks);
        if (sums.timeline)
            for (const timeline::Lane &lane : sums.timeline->lanes)
                present[static_cast<std::size_t>(PassKind::O)] |= lane.tailEnd > lane.tailBegin;
    }
    for (const LegendEntry &entry : kLegend) {
        if (!present[static_cast<std::size_t>(entry.kinds[0])] && !present[static_cast<std::size_t>(entry.kinds[1])])
            continue;
        const QColor &fill = m_colours.pass(entry.kinds[0]);
        const QString text = Words::tr(entry.text);
        swatch(fill, entry.kinds[0] == PassKind::T ? edgeOf(fill) : QColor(),
               m_length == Length::Letters ? text.section(QChar(u' '), 0, 0) : text);
    }
    if (hidden)
        swatch(m_colours.vocabulary, m_colours.vocabularyHatch,
               isBrief() ? Words::tr("vocabulary") : Words::tr("vocabulary share"));
    const bool recomputes =
        std::ranges::any_of(m_scene.content->groups, [](const LaneGroup &group) { return !group.recomputedStages.empty(); });
    if (recomputes && (present[static_cast<std::size_t>(PassKind::B)] || present[static_cast<std::size_t>(PassKind::I)]))
        swatch(recomputedShade(m_colours.pass(PassKind::B)), m_colours.pass(PassKind::F),
               isBrief() ? Words::tr("again") : Words::tr("forward computed again"));
    if (chunks > 1)
        words(Words::tr("a to %1: chunks, each lighter").arg(chunkLetter(chunks - 1)));
}

void LegendPainter::microbatches()
{
    words(Words::tr("Microbatch"));
    for (std::size_t i = 0; i < m_colours.microbatches.size(); ++i)
        swatch(m_colours.microbatches[i], {}, QString::number(i));
    words(Words::tr("and so on, in turn"));
}

void LegendPainter::chunks()
{
    int chunks = 1;
    for (const GroupSums &sums : *m_scene.sums)
        chunks = std::max(chunks, sums.chunks);
    words(Words::tr("Chunk"));
    for (int chunk = 0; chunk < chunks; ++chunk)
        swatch(m_colours.microbatches[static_cast<std::size_t>(chunk) % m_colours.microbatches.size()], {},
               chunks == 1 ? Words::tr("one a device") : QString(chunkLetter(chunk)));
}

void LegendPainter::slack()
{
    words(Words::tr("Slack"));
    swatch(m_colours.slack.front(), {}, Words::tr("none"));
    for (std::size_t level = 1; level < m_colours.slack.size(); ++level)
        swatch(m_colours.slack[level], {},
               level < kSlackShares.size() ? Words::tr("to %1 %").arg(kSlackShares[level] * 100) : Words::tr("more"));
    words(Words::tr("of the makespan"));
}

/// Messages between devices, and what is exchanged and copied beside passes: each in the colour of its stream.
void LegendPainter::messages()
{
    const bool hasMessages =
        std::ranges::any_of(m_scene.layout.rows, [](const TimelineLayout::Row &row) { return !row.messages.isEmpty(); });
    using timeline::AnchoredKind;
    const auto hasAnchored = [this](std::initializer_list<AnchoredKind> kinds) {
        const auto isOne = [kinds](const timeline::AnchoredSlice &slice) {
            return std::ranges::find(kinds, slice.kind) != kinds.end();
        };
        return std::ranges::any_of(*m_scene.sums, [&isOne](const GroupSums &sums) {
            return sums.timeline && std::ranges::any_of(sums.timeline->lanes, [&isOne](const timeline::Lane &lane) {
                       return std::ranges::any_of(lane.anchored, isOne);
                   });
        });
    };
    if (hasMessages)
        swatch(m_colours.message, {}, isBrief() ? Words::tr("messages") : Words::tr("messages to the device"));
    if (hasAnchored({AnchoredKind::SumReplicated}))
        swatch(colourOf(Stream::Tensor, m_colours), {},
               isBrief() ? Words::tr("tensor ranks") : Words::tr("exchange of tensor ranks"));
    QStringList texts;
    if (hasAnchored({AnchoredKind::ReduceGradients, AnchoredKind::GatherParameters}))
        texts << (isBrief() ? Words::tr("replicas") : Words::tr("exchange of the replicas"));
    if (hasAnchored({AnchoredKind::AverageParameters}))
        texts << (isBrief() ? Words::tr("average") : Words::tr("average of the replicas' weights (hatched)"));
    if (!texts.isEmpty())
        swatch(colourOf(Stream::Data, m_colours), {}, texts.join(QStringLiteral(", ")));
    const bool hasCopies = std::ranges::any_of(*m_scene.sums, [](const GroupSums &sums) {
        return sums.timeline && std::ranges::any_of(sums.timeline->lanes, [](const timeline::Lane &lane) {
                   return std::ranges::any_of(lane.anchored, timeline::isCopy, &timeline::AnchoredSlice::kind);
               });
    });
    if (hasCopies)
        swatch(m_colours.copy, {}, isBrief() ? Words::tr("copies") : Words::tr("copies to the host and back"));
}

} // namespace

void paintLegend(QPainter &painter, const Scene &scene)
{
    const auto write = [&scene](LegendPainter &legend) {
        switch (scene.content->colourBy) {
        case ColourBy::Kind: legend.kinds(); break;
        case ColourBy::Microbatch: legend.microbatches(); break;
        case ColourBy::Chunk: legend.chunks(); break;
        case ColourBy::Slack: legend.slack(); break;
        }
        legend.messages();
    };
    using Length = LegendPainter::Length;
    for (const Length length : {Length::Full, Length::Brief, Length::Letters}) {
        LegendPainter trial(painter, scene);
        trial.setLength(length);
        trial.setDrawing(false);
        write(trial);
        if (!trial.fits() && length != Length::Letters)
            continue;
        LegendPainter legend(painter, scene);
        legend.setLength(length);
        write(legend);
        return;
    }
}

} // namespace stagelens::ui
