#include "ui/panels/headline_bar.h"
#include "ui/words/plain_text.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/controls/chip_button.h"
#include "ui/words/tr.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QRegularExpression>
#include <QResizeEvent>

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCardPadding = 12;
constexpr int kLineGap = 4; ///< between the sentence and the second line
constexpr int kActionWidth = 200;
constexpr int kNarrowActionWidth = 128;
constexpr int kNarrowCard = 760;
constexpr int kActionHeight = 36;
constexpr int kVerdictLines = 2;
constexpr int kTightPadding = 8; ///< above and below a sentence of three lines
constexpr double kCardRadius = 6;

/// The sentence with its devices as links: "Device 3", and each number of "Devices 0, 1 and 2".
QString linked(const QString &text, const QColor &colour)
{
    const QString link = u"<a href='%2' style='color:%1; text-decoration:none'>%3</a>"_s.arg(colour.name());
    const auto patternOf = [](QString caption, const QString &number) {
        return QRegularExpression(QRegularExpression::escape(caption).replace(QRegularExpression::escape(u"%1"_s), number));
    };
    QString markup = text.toHtmlEscaped();
    const QString several = Words::tr("Devices %1 hold the others up: ");
    if (const auto found = patternOf(several, u"(\\d+\\D[^:：]*)"_s).match(markup); found.hasMatch()) {
        static const QRegularExpression number(u"(\\d+)"_s);
        QString list = found.captured(1);
        list.replace(number, link.arg(u"\\1"_s, u"\\1"_s));
        return markup.replace(found.capturedStart(1), found.capturedLength(1), list);
    }
    const QString one = Words::tr("Device %1");
    return markup.replace(patternOf(one, u"(\\d+)"_s), link.arg(u"\\1"_s, one.arg(u"\\1"_s)));
}

/// Returns the text with word joiners and no-break spaces, so that no line ends within "V-ZB" or "6.8 %".
QString withWholeNames(QString text)
{
    static const QRegularExpression hyphen(u"(?<=\\w)-(?=\\w)"_s);
    static const QRegularExpression unit(u"(?<=\\d) (?=%|(?:[mµ]?s|[KMGT]?i?B)\\b)"_s);
    return text.replace(hyphen, u"\u2060-\u2060"_s).replace(unit, u"\u00a0"_s);
}

/// What choosing it does.
QString changeTip(const Alternative &alternative)
{
    const QString sets =
        !alternative.stageLayers.empty() ? Words::tr("Sets the layers of each stage of this plan. Undo takes it back.")
        : alternative.family.isEmpty()   ? Words::tr("Sets the vocabulary layers of this plan. Undo takes it back.")
        : !alternative.method            ? Words::tr("Sets the schedule of this plan. Undo takes it back.")
                                         : Words::tr("Sets schedule and vocabulary layers of this plan. Undo takes it back.");
    return sets;
}

/// How high the text is in that width.
int heightOf(const QString &text, const QFont &font, int width)
{
    return QFontMetrics(font).boundingRect(QRect(0, 0, width, QWIDGETSIZE_MAX), Qt::TextWordWrap, text).height();
}

/// Into how many lines it is broken. A line may be higher than the font says: its letters may come from another one.
int rowsOf(const QString &text, const QFont &font, int width)
{
    const int line = heightOf(text, font, QWIDGETSIZE_MAX);
    return line > 0 ? (heightOf(text, font, width) + line - 1) / line : 0;
}

} // namespace

HeadlineBar::HeadlineBar(QWidget *parent)
    : QFrame(parent), m_label(markupLabel({}, this)), m_second(markupLabel({}, this)), m_button(new ChipButton(this))
{
    setObjectName(u"headline"_s);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(kCardPadding + 4, kCardPadding, kCardPadding, kCardPadding);
    layout->setSpacing(16);
    auto *words = new QVBoxLayout;
    words->setSpacing(kLineGap);
    m_label->setObjectName(u"headline.text"_s);
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_second->setObjectName(u"headline.second"_s);
    m_second->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    words->addWidget(m_label);
    words->addWidget(m_second);
    m_button->setObjectName(u"headline.action"_s);
    m_button->setProperty(kPrimaryProperty, true);
    m_button->setFocusPolicy(Qt::StrongFocus);
    m_button->installEventFilter(this);
    m_second->installEventFilter(this);
    QSizePolicy kept(QSizePolicy::Fixed, QSizePolicy::Fixed);
    kept.setRetainSizeWhenHidden(true); // the sentence is broken alike before and after its fix is found
    m_button->setSizePolicy(kept);
    m_button->hide();
    layout->addLayout(words, 1);
    layout->addWidget(m_button);
    arrange();
    colour();
    connect(m_label, &QLabel::linkActivated, this, [this](const QString &device) { emit deviceAsked(device.toInt()); });
    connect(m_second, &QLabel::linkActivated, this, [this](const QString &link) {
        if (const Alternative *chosen = alternativeOf(link))
            emit this->chosen(Alternative(*chosen)); // a copy: the plan's next verdict replaces it
    });
    connect(m_second, &QLabel::linkHovered, this, [this](const QString &link) {
        const Alternative *under = alternativeOf(link);
        m_second->setToolTip(plainTip(under ? under->words + u'\n' + changeTip(*under) : m_headline.second));
        emit hovered(under);
    });
    connect(m_button, &QPushButton::clicked, this, &HeadlineBar::accept);
}

void HeadlineBar::accept()
{
    if (!isEnabled())
        return; // it is about a plan that is no longer the experiment's
    if (m_headline.change)
        emit chosen(Alternative(*m_headline.change)); // a copy, as below
    else if (m_headline.isFix)
        emit fixApplied();
    else if (m_headline.isRepair)
        emit repairAsked();
    else if (m_headline.isOfShapes)
        emit shapesAsked();
}

void HeadlineBar::setHeadline(const Headline &headline)
{
    m_headline = headline;
    arrange();
    showText();
    m_button->setVisible(headline.hasAction());
    m_button->setText(headline.actionCaption);
    m_button->setAccessibleDescription(headline.text);
    m_button->setToolTip(plainTip(headline.isRepair     ? headline.actionTip
                                  : headline.isOfShapes ? Words::tr("Searches the ways to divide the devices for one that fits")
                                  : headline.change     ? changeTip(*headline.change)
                                                        : Words::tr("Changes this plan so that it fits. Undo takes it back.")));
    const bool isPointedAt = headline.change && (m_button->underMouse() || m_button->hasFocus());
    emit hovered(isPointedAt ? &*m_headline.change : nullptr); // the plan that was pointed at may be another one now
}

void HeadlineBar::arrange()
{
    // Half of what a card gains, so that a wider one has more room for the sentence too.
    m_button->setFixedSize(std::clamp(kNarrowActionWidth + (width() - kNarrowCard) / 2, kNarrowActionWidth, kActionWidth),
                           kActionHeight);
    m_second->setFont(scaled(font(), TypeSize::Text));
    const QFont type = scaled(font(), TypeSize::Verdict, QFont::DemiBold);
    m_second->setFixedHeight(QFontMetrics(m_second->font()).lineSpacing());
    setTextHeight(kVerdictLines * std::max(QFontMetrics(type).lineSpacing(), heightOf(m_headline.text, type, QWIDGETSIZE_MAX)));
}

void HeadlineBar::setTextHeight(int lines)
{
    m_label->setFixedHeight(lines);
    setFixedHeight(lines + m_second->height() + kLineGap + 2 * kCardPadding);
}

void HeadlineBar::showText()
{
    const QString text = withWholeNames(m_headline.text);
    // The largest type in which the sentence has two lines.
    const int room = width() - m_button->width() - 3 * kCardPadding - 16;
    QFont type = scaled(font(), TypeSize::Verdict, QFont::DemiBold);
    // In a presentation it is never smaller than the page's type; the card then grows.
    const bool isPresented = font().pixelSize() > 0;
    // A sentence that is still too long has three lines in small type, below which the second line has room.
    bool isLong = false;
    for (const auto &[size, rows] : {std::pair{TypeSize::Heading, kVerdictLines},
                                     std::pair{isPresented ? TypeSize::Small : TypeSize::Text, kVerdictLines + 1}}) {
        if (rowsOf(text, type, room) <= (isLong ? kVerdictLines + 1 : kVerdictLines))
            break;
        type = scaled(font(), size, QFont::DemiBold);
        isLong = rows > kVerdictLines;
    }
    m_label->setFont(type);
    const int padding = isLong && !isPresented ? kTightPadding : kCardPadding;
    const int needed = heightOf(text, type, room);
    const int above = height() - 2 * padding - m_second->height() - kLineGap;
    const bool hasSecond = isPresented || !isLong || needed <= above;
    layout()->setContentsMargins(kCardPadding + 4, padding, kCardPadding, padding);
    m_second->setVisible(hasSecond);
    if (isPresented) {
        // Never lower than two lines of the largest type: a narrower card, in smaller type, must not be lower than a wider one.
        setTextHeight(std::max(m_label->height(), needed));
    } else if (isLong) {
        m_label->setFixedHeight(hasSecond ? above : height() - 2 * padding);
    }
    m_label->setToolTip(plainTip(hasSecond ? QString() : m_headline.second));
    m_label->setText(linked(text, palette().color(QPalette::Link)));
    m_label->setAccessibleName(m_headline.text);
    showSecond(room);
}

void HeadlineBar::showSecond(int room)
{
    const QString shown = m_second->fontMetrics().elidedText(m_headline.second, Qt::ElideRight, room);
    const qsizetype kept = shown == m_headline.second ? shown.size() : shown.size() - 1; // before the ellipsis
    QString markup;
    qsizetype from = 0;
    for (std::size_t index = 0; index < m_headline.alternatives.size(); ++index) {
        const QString &words = m_headline.alternatives[index].words;
        const qsizetype begin = m_headline.second.indexOf(words, from);
        if (begin < 0 || begin >= kept)
            break;
        // One that is cut off is still a link, with the ellipsis.
        const qsizetype end = begin + words.size() > kept ? shown.size() : begin + words.size();
        markup +=
            shown.mid(from, begin - from).toHtmlEscaped() +
            u"<a href='%1' style='color:%2; text-decoration:none'>%3</a>"_s.arg(
                QString::number(index), palette().color(QPalette::Link).name(), shown.mid(begin, end - begin).toHtmlEscaped());
        from = end;
    }
    m_second->setText(markup + shown.mid(from).toHtmlEscaped());
    m_second->setTextInteractionFlags(m_headline.alternatives.empty()
                                          ? m_headline.second.isEmpty() ? Qt::NoTextInteraction : Qt::TextSelectableByMouse
                                          : Qt::TextBrowserInteraction);
    m_second->setAccessibleName(m_headline.second);
    m_second->setToolTip(plainTip(m_headline.second));
}

const Alternative *HeadlineBar::alternativeOf(const QString &link) const
{
    bool isNumber = false;
    const std::size_t index = link.toULongLong(&isNumber);
    return isNumber && index < m_headline.alternatives.size() ? &m_headline.alternatives[index] : nullptr;
}

void HeadlineBar::colour()
{
    QPalette filled = palette();
    filled.setColor(QPalette::ButtonText, palette().color(QPalette::Active, QPalette::HighlightedText));
    m_button->setPalette(filled);
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, coloursFor(palette()).muted);
    m_second->setPalette(quiet);
}

void HeadlineBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    if (event->size().width() == event->oldSize().width()) // its height follows the text
        return;
    arrange();
    showText();
}

void HeadlineBar::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(mix(palette().color(QPalette::WindowText), palette().color(QPalette::Window), 0.15));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCardRadius, kCardRadius);
}

void HeadlineBar::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        arrange();
    if (event->type() == QEvent::PaletteChange)
        colour();
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        showText();
}

bool HeadlineBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_second) {
        if (event->type() == QEvent::Leave)
            emit hovered(nullptr);
        return QFrame::eventFilter(watched, event);
    }
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn)
        emit hovered(m_headline.change ? &*m_headline.change : nullptr);
    else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut || event->type() == QEvent::Hide)
        emit hovered(nullptr);
    return QFrame::eventFilter(watched, event);
}

} // namespace stagelens::ui
