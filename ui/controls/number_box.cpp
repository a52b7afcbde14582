#include "ui/controls/number_box.h"

#include "engine/base/count.h"
#include "ui/canvas/colours.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QToolTip>

namespace stagelens::ui {

namespace {
constexpr int kExplainMilliseconds = 6000;
} // namespace

NumberBox::NumberBox(QWidget *parent) : QSpinBox(parent)
{
    connect(lineEdit(), &QLineEdit::textChanged, this, [this] {
        QPalette ink; // sets no other colour, so that the line keeps those of the box
        if (lineEdit()->hasFocus() && !hasAcceptableInput())
            ink.setColor(QPalette::Text, coloursFor(palette()).alarm);
        lineEdit()->setPalette(ink);
    });
    lineEdit()->installEventFilter(this);
}

bool NumberBox::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != lineEdit() || event->type() != QEvent::MouseButtonDblClick)
        return QSpinBox::eventFilter(watched, event);
    selectAll();
    return true;
}

void NumberBox::explainDropped()
{
    if (hasAcceptableInput() || typedPart(text()).trimmed().isEmpty())
        return;
    const QString why = Words::tr("“%1” is no whole number of this field: write 32, 32k or 32Ki. Still %2.")
                            .arg(typedPart(text()), textFromValue(value()));
    const QPoint below = mapToGlobal(QPoint(0, height()));
    QToolTip::showText(below, plainTip(why), this, {}, kExplainMilliseconds);
}

void NumberBox::focusOutEvent(QFocusEvent *event)
{
    explainDropped();
    QSpinBox::focusOutEvent(event);
}

void NumberBox::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        explainDropped();
    QSpinBox::keyPressEvent(event);
}

QString NumberBox::typedPart(const QString &text) const
{
    QString typed = text;
    if (typed.startsWith(prefix()))
        typed.remove(0, prefix().size());
    if (typed.endsWith(suffix()))
        typed.chop(suffix().size());
    return typed;
}

std::optional<int> NumberBox::read(const QString &text) const
{
    if (!specialValueText().isEmpty() && text == specialValueText())
        return minimum();
    const auto value = base::parseCount(utf8(typedPart(text)));
    return value && *value >= minimum() && *value <= maximum() ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

int NumberBox::valueFromText(const QString &text) const
{
    return read(text).value_or(value());
}

QString NumberBox::textFromValue(int value) const
{
    return countText(value);
}

QValidator::State NumberBox::validate(QString &text, int &cursor) const
{
    Q_UNUSED(cursor)
    if (read(text))
        return QValidator::Acceptable;
    // Everything may be typed: a letter that is left out would make another number of the rest. Only numbers beyond the box
    // are not.
    return base::parseCount(utf8(typedPart(text))) ? QValidator::Invalid : QValidator::Intermediate;
}

} // namespace stagelens::ui
