#include "ui/panels/inspector_panel.h"
#include "ui/canvas/design.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

InspectorPanel::InspectorPanel(QWidget *parent) : QWidget(parent), m_label(plainLabel(this)), m_next(new QPushButton(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    auto *title = plainLabel(Words::tr("Selection"), this);
    title->setFont(scaled(font(), TypeSize::Text, QFont::DemiBold));
    m_label->setObjectName(u"inspector.text"_s);
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(title);
    layout->addWidget(m_label);
    m_next->setObjectName(u"inspector.next"_s);
    m_next->setAutoDefault(false);
    layout->addWidget(m_next, 0, Qt::AlignLeft);
    layout->addStretch(1);
    connect(m_next, &QPushButton::clicked, this, &InspectorPanel::nextAsked);
    setText({});
    setNext({}, {});
}

void InspectorPanel::setNext(const QString &caption, const QString &tip)
{
    m_next->setText(caption);
    m_next->setToolTip(plainTip(tip));
    m_next->setAccessibleName(Words::tr("What next: ") + caption);
    m_next->setVisible(!caption.isEmpty());
}

void InspectorPanel::setText(const QString &text)
{
    m_label->setText(text.isEmpty() ? Words::tr("Click a pass to see what it waited for, or a gap to see why it is there.")
                                    : text);
    m_label->setAccessibleName(Words::tr("Why: ") + m_label->text());
}

QString InspectorPanel::text() const
{
    return m_label->text();
}

} // namespace stagelens::ui
