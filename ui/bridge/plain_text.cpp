#include "ui/bridge/plain_text.h"

#include <QLabel>
#include <QTextDocument>

namespace stagelens::ui {

QLabel *plainLabel(QWidget *parent)
{
    return plainLabel(QString(), parent);
}

QLabel *plainLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText); // before the text, which would be parsed else
    label->setText(text);
    return label;
}

QLabel *markupLabel(const QString &markup, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setTextFormat(Qt::RichText);
    label->setText(markup);
    return label;
}

QString plainTip(const QString &text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

} // namespace stagelens::ui
