#include "ui/panels/play_bar.h"
#include "ui/words/plain_text.h"

#include "ui/state/links.h"
#include "ui/state/view_state.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFrameMilliseconds = 16;
constexpr int kMostRows = 6;
constexpr int kCaptionLines = 2; ///< at least
constexpr int kMostCaptionLines = 5;

/// What a device does at a moment, or what it waits for.
QString whatDoes(const LaneGroup &group, int device, base::Nanos time)
{
    const timeline::Lane &lane = laneOf(group, device);
    if (const auto slice = timeline::sliceAt(lane, time))
        return Words::tr("device %1: %2").arg(device).arg(passText(lane.pass[*slice], group.timeline->slices));
    const QString reason = waitReason(group, device, time);
    if (timeline::firstEndingAfter(lane, time) == lane.size())
        return Words::tr("device %1 is done").arg(device);
    return Words::tr("device %1 %2").arg(device).arg(reason);
}

/// Where a microbatch is at a moment, or where it goes on.
QString whereIs(const LaneGroup &group, base::Nanos time, int microbatch, bool units)
{
    QStringList places;
    base::Nanos soonest = std::numeric_limits<base::Nanos>::max();
    QString next;
    bool begun = false;
    for (int device = 0; device < group.timeline->devices(); ++device) {
        const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(device)];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (lane.pass[i].microbatch != microbatch)
                continue;
            const QString pass = Words::tr("%1 on device %2").arg(passText(lane.pass[i], group.timeline->slices)).arg(device);
            if (lane.begin[i] <= time && time < lane.end[i])
                places << pass;
            begun = begun || lane.begin[i] <= time;
            if (lane.begin[i] > time && lane.begin[i] < soonest) {
                soonest = lane.begin[i];
                next = pass;
            }
        }
    }
    const QString name = Words::tr("Microbatch %1").arg(microbatchText(microbatch, group.timeline->slices));
    if (!places.isEmpty())
        return name + u": "_s + places.join(u", "_s);
    if (next.isEmpty())
        return name + (begun ? Words::tr(" is done") : Words::tr(" is not in this picture"));
    return Words::tr("%1 waits; %2 begins in %3").arg(name, next, durationText(soonest - time, units));
}

int microbatchesOf(const LaneGroup &group)
{
    int last = 0;
    for (const timeline::Lane &lane : group.timeline->lanes)
        for (const schedule::Pass &pass : lane.pass)
            last = std::max(last, static_cast<int>(pass.microbatch));
    return last + 1;
}

} // namespace

QString playCaption(const LaneGroup &group, base::Nanos time, std::optional<int> microbatch, bool units)
{
    const QString when = Words::tr("At %1 · ").arg(durationText(time, units));
    if (microbatch)
        return when + whereIs(group, time, *microbatch, units);
    QStringList parts;
    int running = 0;
    for (int device = 0; device < group.timeline->devices(); ++device) {
        running += timeline::sliceAt(group.timeline->lanes[static_cast<std::size_t>(device)], time) ? 1 : 0;
        if (device < kMostRows)
            parts << whatDoes(group, device, time);
    }
    return when + Words::tr("%1 of %2 devices work · ").arg(running).arg(group.timeline->devices()) + parts.join(u" · "_s);
}

base::Nanos nextEvent(const LaneGroup &group, base::Nanos time, bool forward)
{
    std::optional<base::Nanos> nearest;
    const auto offer = [&](base::Nanos at) {
        if (forward ? at > time && (!nearest || at < *nearest) : at < time && (!nearest || at > *nearest))
            nearest = at;
    };
    for (const timeline::Lane &lane : group.timeline->lanes) {
        for (const auto *moments : {&lane.begin, &lane.end}) { // each sorted
            const auto at = forward ? std::upper_bound(moments->begin(), moments->end(), time)
                                    : std::lower_bound(moments->begin(), moments->end(), time);
            if (forward && at != moments->end())
                offer(*at);
            else if (!forward && at != moments->begin())
                offer(*std::prev(at));
        }
    }
    return nearest.value_or(time);
}

PlayBar::PlayBar(TimelineView *timeline, ViewState *state, QWidget *parent)
    : QFrame(parent), m_timeline(timeline), m_state(state), m_button(nullptr), m_speed(new QComboBox(this)),
      m_follow(new QSpinBox(this)), m_caption(plainLabel(this))
{
    build();
    m_clock.setInterval(kFrameMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &PlayBar::advance);
    connect(m_follow, &QSpinBox::valueChanged, this, [this] {
        follow();
        if (m_state->playhead())
            setTime(*m_state->playhead());
    });
    hide();
}

QToolButton *PlayBar::makeButton(const QString &name, std::optional<Glyph> icon, const QString &tip)
{
    auto *button = new QToolButton(this);
    button->setObjectName(name);
    if (icon)
        button->setIcon(glyphIcon(*icon));
    button->setToolTip(plainTip(tip));
    button->setAccessibleName(tip);
    m_controls->addWidget(button);
    return button;
}

void PlayBar::build()
{
    m_row = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_row->setContentsMargins(8, 4, 8, 4);
    m_controls = new QHBoxLayout;
    m_row->addLayout(m_controls);
    connect(makeButton(u"play.earlier"_s, Glyph::Previous, Words::tr("To the moment before at which a pass begins or ends")),
            &QToolButton::clicked, this, [this] { stepTo(false); });
    m_button = makeButton(u"play.pause"_s, std::nullopt, Words::tr("Space over the picture"));
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    for (const bool on : {true, false}) { // as large as the larger: its neighbours keep their places
        showPlaying(on);
        m_button->setMinimumSize(m_button->minimumSize().expandedTo(m_button->sizeHint()));
    }
    connect(m_button, &QToolButton::clicked, this, &PlayBar::toggle);
    connect(makeButton(u"play.later"_s, Glyph::Next, Words::tr("To the next moment at which a pass begins or ends")),
            &QToolButton::clicked, this, [this] { stepTo(true); });
    for (const int seconds : {5, 10, 20, 60, 180})
        m_speed->addItem(Words::tr("%1 s an iteration").arg(seconds), seconds);
    m_speed->setCurrentIndex(2);
    m_speed->setAccessibleName(Words::tr("Speed"));
    m_follow->setObjectName(u"play.follow"_s);
    m_follow->setAccessibleName(Words::tr("Follow microbatch"));
    m_follow->setToolTip(Words::tr("The microbatch that is followed: its passes stand out, the caption says where it is"));
    m_follow->setRange(-1, 0);
    m_follow->setSpecialValueText(Words::tr("all"));
    m_follow->setValue(-1);
    m_caption->setObjectName(u"play.caption"_s);
    m_caption->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_caption->setMinimumWidth(1);
    m_caption->setWordWrap(true);
    m_lines = kCaptionLines;
    fixHeight();
    m_controls->addWidget(m_speed);
    m_controls->addWidget(plainLabel(Words::tr("Microbatch"), this));
    m_controls->addWidget(m_follow);
    m_controls->addStretch();
    m_row->addWidget(m_caption, 1);
}

void PlayBar::showPlaying(bool on)
{
    m_button->setText(on ? Words::tr("Pause") : Words::tr("Play"));
    m_button->setIcon(on ? QIcon() : glyphIcon(Glyph::Play));
}

void PlayBar::fixHeight()
{
    m_caption->setFixedHeight(m_lines * m_caption->fontMetrics().lineSpacing() + 2);
}

void PlayBar::growCaption()
{
    const QRect needed = m_caption->fontMetrics().boundingRect(QRect(0, 0, m_caption->width(), QWIDGETSIZE_MAX),
                                                               Qt::TextWordWrap, m_caption->text());
    const int lines = std::min(kMostCaptionLines, needed.height() / m_caption->fontMetrics().lineSpacing());
    if (lines <= m_lines)
        return;
    m_lines = lines;
    fixHeight();
}

void PlayBar::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fixHeight();
}

void PlayBar::rest()
{
    showPlaying(false);
    m_caption->setText(Words::tr("Space plays the iteration and says what each device does."));
    m_caption->setToolTip({});
    m_lines = kCaptionLines;
    fixHeight();
    setVisible(m_kept);
}

void PlayBar::setKept(bool on)
{
    m_kept = on;
    m_row->setDirection(on ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight); // the large type needs the whole width
    if (!m_state->playhead())
        rest();
}

const LaneGroup *PlayBar::group() const
{
    const auto &groups = m_timeline->content().groups;
    return groups.empty() || !groups.front().timeline ? nullptr : &groups.front();
}

base::Nanos PlayBar::end() const
{
    return group() != nullptr ? group()->timeline->makespan() : 0;
}

void PlayBar::open()
{
    show();
    m_follow->setMaximum(microbatchesOf(*group()) - 1);
    if (m_state->followed())
        m_follow->setValue(*m_state->followed());
    follow();
    const base::Nanos from = std::max<base::Nanos>(m_state->begin(), 0);
    if (!m_state->playhead() || *m_state->playhead() >= end())
        setTime(from < end() ? from : 0);
}

void PlayBar::pause()
{
    m_clock.stop();
    showPlaying(false);
}

void PlayBar::toggle()
{
    if (isPlaying()) {
        pause();
    } else if (end() > 0) {
        open();
        m_sinceStep.start();
        m_clock.start();
        showPlaying(true);
    }
}

void PlayBar::stepTo(bool forward)
{
    if (end() <= 0)
        return;
    const bool opened = isVisible() && m_state->playhead();
    if (!opened)
        open();
    pause();
    setTime(std::min(nextEvent(*group(), *m_state->playhead(), forward), end()));
}

void PlayBar::stop()
{
    m_clock.stop();
    m_state->setPlayhead(std::nullopt);
    m_state->follow(std::nullopt);
    rest();
    emit stopped();
}

void PlayBar::endWithPicture()
{
    if (m_state->playhead() && *m_state->playhead() > end())
        stop();
}

void PlayBar::advance()
{
    if (end() <= 0) { // the picture went away
        stop();
        return;
    }
    const double share = static_cast<double>(m_sinceStep.restart()) / 1000 / m_speed->currentData().toInt();
    const base::Nanos next = *m_state->playhead() + std::llround(share * static_cast<double>(end()));
    setTime(std::min(next, end()));
    if (next >= end())
        pause();
}

void PlayBar::follow()
{
    m_state->follow(m_follow->value() < 0 ? std::nullopt : std::optional(m_follow->value()));
}

void PlayBar::setTime(base::Nanos time)
{
    m_state->setPlayhead(time);
    // A magnified view turns the page where the playhead leaves it.
    if (!m_state->isFitted() && (time >= m_state->end() || time < m_state->begin()))
        m_state->pan(time - m_state->begin() - (m_state->end() - m_state->begin()) / 10);
    if (group() == nullptr)
        return;
    const QString text = playCaption(*group(), time, m_state->followed(), m_timeline->content().teachingUnits);
    m_caption->setText(text);
    m_caption->setToolTip(plainTip(text));
    growCaption();
}

} // namespace stagelens::ui
