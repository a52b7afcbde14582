#include "ui/strip/plan_chip.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/controls/chip_number.h"
#include "ui/panels/field_editor.h"
#include "ui/words/plain_text.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kSlotHeight = 44;
constexpr int kSlotPadding = 10;
constexpr int kSlotArrow = 20;
constexpr int kCaptionTop = 5;
constexpr int kCaptionRight = 4;
constexpr int kValueTop = 21;
constexpr int kValueHeight = 18;
constexpr double kChipRadius = 6;
constexpr int kLeastRoom = 40;  ///< for words that give way to the number
constexpr int kFieldIndent = 2; ///< of the digits in their field, which begin where words would
} // namespace

PlanChip::PlanChip(const QString &caption, bool hasPicker, QWidget *parent)
    : QAbstractButton(parent), m_caption(caption), m_hasPicker(hasPicker)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFocusPolicy(hasPicker ? Qt::StrongFocus : Qt::NoFocus);
    if (hasPicker)
        setCursor(Qt::PointingHandCursor);
    connect(this, &QAbstractButton::clicked, this, [this] { press(false); });
    describe();
}

void PlanChip::setNumber(FieldEditor *number)
{
    m_number = number;
    number->setParent(this);
    number->control()->setFont(valueFont());
    number->setCursor(Qt::ArrowCursor);
    if (auto *line = number->control()->findChild<QLineEdit *>())
        connect(line, &QLineEdit::textChanged, this, &PlanChip::place);
    connect(number, &FieldEditor::left, this, &PlanChip::place); // "32k" has become "32,000"
    place();
}

void PlanChip::setWords(const Words &words)
{
    m_words = words;
    place(); // also where the words are the same: the number may be another one
}

void PlanChip::setCaption(const QString &caption, const QString &tip, const QString &narrow)
{
    if (caption == m_caption && tip == m_tip && narrow == m_narrowCaption)
        return;
    m_caption = caption;
    m_narrowCaption = narrow;
    m_tip = tip;
    describe();
    update();
}

QString PlanChip::value() const
{
    const auto *line = m_number ? m_number->control()->findChild<QLineEdit *>() : nullptr;
    return m_words.before + (m_words.hasNumber && line ? line->text() : QString()) + m_words.after;
}

QString PlanChip::shownValue() const
{
    const auto *line = m_isNumberShown ? m_number->control()->findChild<QLineEdit *>() : nullptr;
    return m_before + (line ? line->text() : QString()) + m_after;
}

void PlanChip::setProblem(const QString &field, const QString &reason)
{
    m_problemField = field;
    m_problem = reason;
    describe();
    update();
}

void PlanChip::describe()
{
    setAccessibleName(m_caption + u": "_s + value());
    setAccessibleDescription(m_problem);
    setToolTip(plainTip(m_problem.isEmpty() ? (m_hasPicker ? (m_tip.isEmpty() ? value() : m_tip) : QString()) : m_problem));
}

QSize PlanChip::sizeHint() const
{
    return {2 * kSlotPadding + fontMetrics().horizontalAdvance(value()) + kSlotArrow, kSlotHeight};
}

QFont PlanChip::valueFont() const
{
    return scaled(font(), TypeSize::Text, QFont::DemiBold);
}

void PlanChip::place()
{
    const QFontMetrics metrics(valueFont());
    const int right = width() - (m_hasPicker ? kSlotArrow + 4 : kSlotPadding);
    const int room = right - kSlotPadding;
    const auto wide = [&metrics](const QString &text) { return metrics.horizontalAdvance(text); };
    m_isNumberShown = m_number && m_words.hasNumber;
    if (m_isNumberShown)
        m_number->control()->updateGeometry(); // a number that is set without a signal has another width
    const int numberWidth = m_isNumberShown ? std::min(m_number->control()->sizeHint().width(), room) : 0;
    m_before = m_words.before;
    m_after = m_words.after;
    const auto fits = [&] { return wide(m_before) + numberWidth + wide(m_after) <= room; };
    if (!fits() && !m_words.narrowAfter.isEmpty())
        m_after = m_words.narrowAfter;
    if (!fits())
        m_before = m_words.narrow;
    const bool isEdited = m_isNumberShown && m_number->control()->hasFocus();
    if (!fits() && m_isNumberShown && !isEdited && !m_words.alone.isEmpty()) {
        m_isNumberShown = false;
        m_before = metrics.elidedText(m_words.alone, Qt::ElideRight, room);
        m_after.clear();
    } else if (!m_isNumberShown) {
        m_before = metrics.elidedText(m_before, Qt::ElideMiddle, room); // names differ at both ends
    } else {
        // The words after the number give way first, then those before it.
        const int words = room - numberWidth;
        m_before = metrics.elidedText(m_before, Qt::ElideRight, m_after.isEmpty() ? words : std::max(words - kLeastRoom, 0));
        m_after = metrics.elidedText(m_after, Qt::ElideRight, words - wide(m_before));
    }
    if (m_number)
        m_number->setVisible(m_isNumberShown);
    if (m_isNumberShown)
        m_number->setGeometry(kSlotPadding - kFieldIndent + wide(m_before), kValueTop - 2, numberWidth, kValueHeight + 4);
    describe();
    update();
}

void PlanChip::press(bool onArrow)
{
    if (hasProblem() && !onArrow)
        emit problemAsked(m_problemField);
    else if (m_hasPicker)
        emit pickerAsked();
    else if (m_number)
        m_number->setFocus(Qt::MouseFocusReason);
}

void PlanChip::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPalette &ink = palette();
    const Colours &tones = coloursFor(ink);
    QPen edge(hasProblem() ? tones.alarm : mix(ink.color(QPalette::WindowText), ink.color(QPalette::Window), 0.22),
              hasProblem() ? 2 : 1);
    if (hasFocus())
        edge = QPen(ink.color(QPalette::Highlight), 2);
    const QColor base = ink.color(QPalette::Base);
    const double inset = edge.widthF() / 2;
    painter.setPen(edge);
    painter.setBrush(m_hasPicker && m_hovered && isEnabled() ? mix(ink.color(QPalette::Text), base, 0.05) : base);
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), kChipRadius, kChipRadius);
    painter.setFont(scaled(font(), TypeSize::Small));
    painter.setPen(tones.muted);
    const int captionRoom = width() - kSlotPadding - kCaptionRight;
    const bool isNarrow = !m_narrowCaption.isEmpty() && painter.fontMetrics().horizontalAdvance(m_caption) > captionRoom;
    const QString &caption = isNarrow ? m_narrowCaption : m_caption;
    painter.drawText(QRect(kSlotPadding, kCaptionTop, captionRoom, kValueTop - kCaptionTop - 1),
                     Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(caption, Qt::ElideRight, captionRoom));
    painter.setFont(valueFont());
    painter.setPen(ink.color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::Text));
    painter.drawText(QRect(kSlotPadding, kValueTop, width() - kSlotPadding, kValueHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     m_before);
    const int after = m_isNumberShown ? m_number->geometry().right() + 1 - kFieldIndent
                                      : kSlotPadding + painter.fontMetrics().horizontalAdvance(m_before);
    painter.drawText(QRect(after, kValueTop, width() - after, kValueHeight), Qt::AlignLeft | Qt::AlignVCenter, m_after);
    if (!m_hasPicker)
        return;
    const QPointF tip(width() - kSlotArrow / 2.0 - 3, kSlotHeight / 2.0 + 2);
    painter.setPen(QPen(tones.muted, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(QPolygonF{tip + QPointF(-4, -4), tip, tip + QPointF(4, -4)});
}

void PlanChip::resizeEvent(QResizeEvent *event)
{
    QAbstractButton::resizeEvent(event);
    place();
}

void PlanChip::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Down)
        press(true);
    else
        QAbstractButton::keyPressEvent(event);
}

void PlanChip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_hasPicker && event->position().x() >= width() - kSlotArrow - 4)
        press(true);
    else
        QAbstractButton::mousePressEvent(event);
}

bool PlanChip::event(QEvent *event)
{
    if (event->type() == QEvent::Enter || event->type() == QEvent::Leave) {
        m_hovered = event->type() == QEvent::Enter;
        update();
    } else if (event->type() == QEvent::FontChange) {
        if (m_number)
            m_number->control()->setFont(valueFont());
        place();
    }
    return QAbstractButton::event(event);
}

} // namespace stagelens::ui
