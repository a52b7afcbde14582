#include "ui/controls/number_box.h"

#include "engine/base/count.h"
#include "ui/words/words.h"

#include <QRegularExpression>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

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
    // Letters that no number has, and numbers beyond the box, are not typed at all; the rest may become a number.
    static const QRegularExpression kLetters(u"^[0-9.,kmgi]*$"_s, QRegularExpression::CaseInsensitiveOption);
    const QString typed = typedPart(text);
    const bool mayBecomeSpecial = !specialValueText().isEmpty() && specialValueText().startsWith(typed);
    const bool mayBecomeNumber = kLetters.match(typed).hasMatch() && !base::parseCount(utf8(typed));
    return mayBecomeSpecial || mayBecomeNumber ? QValidator::Intermediate : QValidator::Invalid;
}

} // namespace stagelens::ui
