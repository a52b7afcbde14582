#include "ui/controls/chip_number.h"

#include "ui/canvas/colours.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace stagelens::ui {

namespace {
constexpr int kPixelsPerStep = 8;
constexpr int kPixelsPerDoubling = 24;
constexpr int kDragStart = 5; ///< pixels; a shorter way is a click
constexpr int kWheelPauseMilliseconds = 500;
constexpr int kRoomForCursor = 4;
} // namespace

ChipNumber::ChipNumber(Step step, QWidget *parent) : NumberBox(parent), m_step(step)
{
    setFrame(false);
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setEdited(false);
    lineEdit()->setTextMargins(0, 0, 0, 0);
    m_wheelEnds.setSingleShot(true);
    m_wheelEnds.setInterval(kWheelPauseMilliseconds);
    connect(&m_wheelEnds, &QTimer::timeout, this, &QAbstractSpinBox::editingFinished);
    connect(lineEdit(), &QLineEdit::textChanged, this, &QWidget::updateGeometry);
}

void ChipNumber::stepBy(int steps)
{
    const int least = 1;
    int next = value();
    if (m_step == Step::One)
        next = static_cast<int>(std::clamp<qint64>(qint64{next} + steps, least, maximum()));
    for (int step = 0; m_step == Step::Double && step < std::abs(steps); ++step)
        next = steps > 0 ? (next > maximum() / 2 ? maximum() : next * 2) : std::max(next / 2, least);
    setValue(next);
}

QSize ChipNumber::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(lineEdit()->text()) + kRoomForCursor, fontMetrics().height() + 2};
}

bool ChipNumber::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseMove:
    case QEvent::MouseButtonRelease:
        if (watched == lineEdit() && drag(*static_cast<QMouseEvent *>(event)))
            return true;
        break;
    default: break;
    }
    return NumberBox::eventFilter(watched, event);
}

void ChipNumber::focusInEvent(QFocusEvent *event)
{
    NumberBox::focusInEvent(event);
    setEdited(true);
}

void ChipNumber::focusOutEvent(QFocusEvent *event)
{
    NumberBox::focusOutEvent(event);
    setEdited(false);
}

void ChipNumber::setEdited(bool on)
{
    // The press that may begin a drag must not take the focus before it is known to be a click.
    setFocusPolicy(on ? Qt::StrongFocus : Qt::TabFocus);
    lineEdit()->setFocusPolicy(on ? Qt::ClickFocus : Qt::NoFocus);
    lineEdit()->setCursor(on ? Qt::IBeamCursor : Qt::SizeHorCursor);
}

bool ChipNumber::drag(const QMouseEvent &mouse)
{
    const int x = mouse.globalPosition().toPoint().x();
    if (mouse.type() == QEvent::MouseButtonPress) {
        if (mouse.button() != Qt::LeftButton || lineEdit()->hasFocus())
            return false; // a focused number is text, which the mouse selects
        m_pressed = true;
        m_dragging = false;
        m_from = x;
        m_taken = 0;
        return true;
    }
    if (!m_pressed)
        return false;
    if (mouse.type() == QEvent::MouseMove) {
        m_dragging = m_dragging || std::abs(x - m_from) >= kDragStart;
        const int steps = m_dragging ? (x - m_from) / (m_step == Step::One ? kPixelsPerStep : kPixelsPerDoubling) : 0;
        if (steps != m_taken)
            stepBy(steps - m_taken);
        m_taken = steps;
        return true;
    }
    m_pressed = false;
    if (m_dragging) {
        emit editingFinished();
    } else {
        setFocus(Qt::MouseFocusReason);
        selectAll();
    }
    return true;
}

void ChipNumber::keyPressEvent(QKeyEvent *event)
{
    NumberBox::keyPressEvent(event);
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        event->accept(); // QSpinBox leaves it to the chip, which would open its picker
}

void ChipNumber::wheelEvent(QWheelEvent *event)
{
    NumberBox::wheelEvent(event);
    if (!hasFocus())
        m_wheelEnds.start();
}

void ChipNumber::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    if (!hasFocus())
        return; // the line paints the number
    QPainter painter(this);
    painter.fillRect(rect().adjusted(0, height() - 2, 0, 0), palette().color(QPalette::Highlight));
}

void ChipNumber::changeEvent(QEvent *event)
{
    NumberBox::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateGeometry();
}

} // namespace stagelens::ui
