#include "ui/shapes/training_fields.h"

#include "engine/base/count.h"
#include "ui/canvas/colours.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

std::optional<double> numberOf(const QLineEdit *field)
{
    const auto number = base::parseQuantity(utf8(field->text().trimmed()));
    return number && *number > 0 ? number : std::nullopt;
}

} // namespace

TrainingFields::TrainingFields(QWidget *parent) : QWidget(parent), m_tokens(new QLineEdit(this)), m_price(new QLineEdit(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString &caption, QLineEdit *field, const QString &name, const QString &tip) {
        field->setObjectName(name);
        field->setAccessibleName(caption);
        field->setToolTip(plainTip(tip));
        field->setMaximumWidth(fontMetrics().horizontalAdvance(u"0000000000"_s));
        auto *label = plainLabel(caption, this);
        label->setBuddy(field);
        row->addWidget(label);
        row->addWidget(field);
        row->addSpacing(8);
    };
    m_tokens->setPlaceholderText(Words::tr("e.g. 2e12"));
    add(Words::tr("Tokens to train on"), m_tokens, u"shapes.tokens"_s,
        Words::tr("Tokens of the whole training, such as 2e12 or 2T: the table then has days, and with a price costs"));
    add(Words::tr("Price of a GPU-hour"), m_price, u"shapes.price"_s,
        Words::tr("What a GPU costs an hour: with it and the tokens, the table has costs"));
    connect(m_tokens, &QLineEdit::textChanged, this,
            [this] { judge(m_tokens, Words::tr("This is no number of tokens, such as 2e12 or 2T.")); });
    connect(m_price, &QLineEdit::textChanged, this, [this] { judge(m_price, Words::tr("This is no price, such as 2.5.")); });
    setHardware(nullptr);
}

void TrainingFields::setHardware(std::shared_ptr<const model::Hardware> hardware)
{
    m_hardware = std::move(hardware);
    const double price = m_hardware ? m_hardware->pricePerDeviceHour : 0;
    m_price->setPlaceholderText(price > 0 ? QString::number(price) : Words::tr("e.g. 2.5"));
    emit changed();
}

std::optional<double> TrainingFields::tokens() const
{
    return numberOf(m_tokens);
}

double TrainingFields::price() const
{
    const double known = m_hardware && m_price->text().isEmpty() ? m_hardware->pricePerDeviceHour : 0;
    return numberOf(m_price).value_or(known);
}

QString TrainingFields::currency() const
{
    return m_hardware ? qtText(m_hardware->currency) : QString();
}

void TrainingFields::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        event->accept();
    else
        QWidget::keyPressEvent(event);
}

void TrainingFields::judge(QLineEdit *field, const QString &remedy)
{
    const bool isSound = field->text().trimmed().isEmpty() || numberOf(field);
    field->setAccessibleDescription(isSound ? QString() : remedy);
    QPalette tones = palette();
    if (!isSound)
        tones.setColor(QPalette::Text, coloursFor(tones).alarm);
    field->setPalette(tones);
    emit changed();
}

} // namespace stagelens::ui
