#include "ui/panels/schedule_panel.h"
#include "ui/words/plain_text.h"

#include "ui/canvas/colours.h"
#include "ui/controls/button_style.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLineRole = Qt::UserRole;
constexpr int kWordRole = Qt::UserRole + 1;
constexpr int kRowsOfFaults = 3;
constexpr int kMark = 10;
constexpr int kRowsOfText = 4;

/// The mark that stands beside the line as well.
QIcon mark(const QColor &colour)
{
    QPixmap picture(kMark, kMark);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(picture.rect());
    return picture;
}
} // namespace

SchedulePanel::SchedulePanel(QWidget *parent)
    : QFrame(parent), m_words(plainLabel(this)), m_edit(new ScheduleTextEdit(this)), m_faults(new QListWidget(this))
{
    setObjectName(u"schedule.panel"_s);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 4, 0);
    auto *title = markupLabel(Words::tr("<b>Schedule as text</b>"), this);
    title->setBuddy(m_edit);
    m_words->setObjectName(u"schedule.words"_s);
    m_words->setWordWrap(true);
    auto *close = new QToolButton(this);
    close->setObjectName(u"schedule.close"_s);
    close->setIcon(glyphIcon(Glyph::Close));
    close->setIconSize({12, 12});
    close->setAutoRaise(true);
    close->setAccessibleName(Words::tr("Close the schedule's text"));
    close->setToolTip(Words::tr("Close (Ctrl+Shift+E). What was changed stays"));
    head->addWidget(title);
    head->addSpacing(8);
    head->addWidget(m_words, 1);
    head->addWidget(close);
    layout->addLayout(head);
    layout->addWidget(m_edit, 1);
    m_edit->setMinimumHeight(kRowsOfText * m_edit->fontMetrics().lineSpacing());
    m_faults->setObjectName(u"schedule.faults"_s);
    m_faults->setAccessibleName(Words::tr("What is wrong in the schedule"));
    m_faults->setFrameShape(QFrame::NoFrame);
    m_faults->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_faults->setTextElideMode(Qt::ElideRight);
    m_faults->hide();
    layout->addWidget(m_faults);
    connect(close, &QToolButton::clicked, this, &SchedulePanel::closed);
    const auto go = [this](const QListWidgetItem *item) {
        m_edit->goTo(item->data(kLineRole).toInt(), item->data(kWordRole).toInt());
    };
    connect(m_faults, &QListWidget::itemClicked, this, go);
    connect(m_faults, &QListWidget::itemActivated, this, go);
}

void SchedulePanel::setWords(const QString &words)
{
    m_words->setText(words);
}

QString SchedulePanel::words() const
{
    return m_words->text();
}

void SchedulePanel::setFaults(const std::vector<service::TextFault> &faults)
{
    m_edit->setFaults(faults);
    m_faults->clear();
    for (const service::TextFault &fault : faults) {
        const QString place = fault.word > 0 ? Words::tr("Line %1, word %2: ").arg(fault.line).arg(fault.word)
                                             : Words::tr("Line %1: ").arg(fault.line);
        auto *item = new QListWidgetItem(place + sentence(base::Problem{{}, fault.message}), m_faults);
        item->setData(kLineRole, fault.line);
        item->setData(kWordRole, fault.word);
        item->setToolTip(plainTip(item->text()));
    }
    m_faults->setFixedHeight(std::min(kRowsOfFaults, m_faults->count()) * (fontMetrics().height() + 4) + 4);
    m_faults->setVisible(!faults.empty());
    colour();
}

void SchedulePanel::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange)
        colour();
}

void SchedulePanel::colour()
{
    QPalette tinted;
    const Colours &colours = coloursFor(tinted);
    tinted.setColor(QPalette::Base, mix(colours.alarm, tinted.color(QPalette::Base), kFaultTint));
    m_faults->setPalette(tinted);
    const QIcon icon = mark(colours.alarm);
    for (int row = 0; row < m_faults->count(); ++row)
        m_faults->item(row)->setIcon(icon);
}

} // namespace stagelens::ui
