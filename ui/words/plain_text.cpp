#include "ui/words/plain_text.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>
#include <QPointer>
#include <QTextDocument>

namespace stagelens::ui {
namespace {

/// A label is polished before its text is laid out, which is what reads files.
class PlainLabels : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Polish)
            if (auto *label = qobject_cast<QLabel *>(watched);
                label && label->textFormat() != Qt::RichText && !label->inherits("QTipLabel"))
                label->setTextFormat(Qt::PlainText);
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

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

void keepLabelsPlain()
{
    static QPointer<PlainLabels> labels;
    if (labels)
        return;
    labels = new PlainLabels(QCoreApplication::instance());
    QCoreApplication::instance()->installEventFilter(labels);
}

QString plainTip(const QString &text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

} // namespace stagelens::ui
