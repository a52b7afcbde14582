#include "ui/panels/play_bar.h"

#include "ui/shell/view_state.h"
#include "ui/timeline/links.h"
#include "ui/timeline/time_axis.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>

#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFrameMilliseconds = 16;
constexpr int kMostDevices = 6;

QString whereIs(const LaneGroup &group, base::Nanos time, int microbatch)
{
    QStringList places;
    for (int device = 0; device < group.timeline->devices(); ++device) {
        const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(device)];
        const auto slice = timeline::sliceAt(lane, time);
        if (slice && lane.pass[*slice].microbatch == microbatch)
            places << u"%1 on device %2"_s.arg(passText(lane.pass[*slice])).arg(device);
    }
    return u"Microbatch %1: "_s.arg(microbatch) + (places.isEmpty() ? u"in no pass"_s : places.join(u", "_s));
}

} // namespace

QString playCaption(const LaneGroup &group, base::Nanos time, std::optional<int> microbatch, bool units)
{
    const QString when = u"At %1 · "_s.arg(durationText(time, units));
    if (microbatch)
        return when + whereIs(group, time, *microbatch);
    QStringList parts;
    int running = 0;
    for (int device = 0; device < group.timeline->devices(); ++device) {
        const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(device)];
        const auto slice = timeline::sliceAt(lane, time);
        running += slice ? 1 : 0;
        if (device >= kMostDevices)
            continue;
        const std::size_t next = timeline::firstEndingAfter(lane, time);
        const QString what = slice                ? passText(lane.pass[*slice])
                             : next < lane.size() ? u"waits for %1"_s.arg(passText(lane.pass[next]))
                                                  : u"done"_s;
        parts << u"%1: %2"_s.arg(device).arg(what);
    }
    return when + u"%1 of %2 devices work · "_s.arg(running).arg(group.timeline->devices()) + parts.join(u" · "_s);
}

PlayBar::PlayBar(TimelineView *timeline, ViewState *state, QWidget *parent)
    : QFrame(parent), m_timeline(timeline), m_state(state), m_button(new QToolButton(this)), m_speed(new QComboBox(this)),
      m_follow(new QSpinBox(this)), m_caption(new QLabel(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 2);
    m_button->setObjectName(u"play.pause"_s);
    m_button->setText(u"Pause"_s);
    m_button->setToolTip(u"Space over the picture"_s);
    for (const int seconds : {5, 10, 20, 60, 180})
        m_speed->addItem(u"%1 s an iteration"_s.arg(seconds), seconds);
    m_speed->setCurrentIndex(2);
    m_speed->setAccessibleName(u"Speed"_s);
    m_follow->setObjectName(u"play.follow"_s);
    m_follow->setAccessibleName(u"Follow microbatch"_s);
    m_follow->setRange(-1, 1'000'000);
    m_follow->setSpecialValueText(u"all"_s);
    m_follow->setValue(-1);
    m_caption->setObjectName(u"play.caption"_s);
    m_caption->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_caption->setMinimumWidth(1);
    row->addWidget(m_button);
    row->addWidget(m_speed);
    row->addWidget(new QLabel(u"Microbatch"_s, this));
    row->addWidget(m_follow);
    row->addWidget(m_caption, 1);
    m_clock.setInterval(kFrameMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &PlayBar::step);
    connect(m_button, &QToolButton::clicked, this, &PlayBar::toggle);
    connect(m_follow, &QSpinBox::valueChanged, this, [this] {
        if (m_state->playhead())
            setTime(*m_state->playhead());
    });
    hide();
}

base::Nanos PlayBar::end() const
{
    const auto &groups = m_timeline->content().groups;
    return groups.empty() || !groups.front().timeline ? 0 : groups.front().timeline->makespan();
}

void PlayBar::toggle()
{
    if (isPlaying()) {
        m_clock.stop();
    } else if (end() > 0) {
        show();
        const base::Nanos from = std::max<base::Nanos>(m_state->begin(), 0);
        if (!m_state->playhead() || *m_state->playhead() >= end())
            setTime(from < end() ? from : 0);
        m_sinceStep.start();
        m_clock.start();
    }
    m_button->setText(isPlaying() ? u"Pause"_s : u"Play"_s);
}

void PlayBar::stop()
{
    m_clock.stop();
    m_state->setPlayhead(std::nullopt);
    hide();
    emit stopped();
}

void PlayBar::step()
{
    const double share = static_cast<double>(m_sinceStep.restart()) / 1000 / m_speed->currentData().toInt();
    const base::Nanos next = *m_state->playhead() + std::llround(share * static_cast<double>(end()));
    setTime(std::min(next, end()));
    if (next < end())
        return;
    m_clock.stop();
    m_button->setText(u"Play"_s);
}

void PlayBar::setTime(base::Nanos time)
{
    m_state->setPlayhead(time);
    const auto &content = m_timeline->content();
    const auto microbatch = m_follow->value() < 0 ? std::nullopt : std::optional(m_follow->value());
    const QString text = playCaption(content.groups.front(), time, microbatch, content.teachingUnits);
    m_caption->setText(text);
    m_caption->setToolTip(text);
}

} // namespace stagelens::ui
