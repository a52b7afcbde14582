#include "ui/strip/place_picker.h"

#include "ui/strip/run_place.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

PlacePicker::PlacePicker(RunPlace *place, QWidget *parent)
    : QWidget(parent), m_place(place), m_caption(plainLabel(this)), m_where(new QComboBox(this)), m_host(new QLineEdit(this)),
      m_copies(new QCheckBox(Words::tr("Copy Stagelens there if it is missing"), this)), m_answer(plainLabel(this)),
      m_predict(new QPushButton(Words::tr("Predict for its processor"), this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    m_where->setObjectName(u"sheet.where"_s);
    m_where->setAccessibleName(Words::tr("Where"));
    m_where->addItems({Words::tr("This computer"), Words::tr("Another machine")});
    m_host->setObjectName(u"sheet.host"_s);
    m_host->setAccessibleName(Words::tr("Machine"));
    m_host->setPlaceholderText(Words::tr("user@host"));
    m_host->setToolTip(Words::tr("Reached through ssh, with your keys and configuration. It must connect without a question."));
    m_copies->setObjectName(u"sheet.copy"_s);
    m_answer->setObjectName(u"sheet.machine"_s);
    m_answer->setWordWrap(true);
    m_answer->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_predict->setObjectName(u"sheet.predict"_s);
    m_caption->setText(Words::tr("Where"));
    m_caption->setBuddy(m_where);
    auto *row = new QHBoxLayout;
    row->setSpacing(12);
    row->addWidget(m_caption);
    row->addWidget(m_where, 1);
    layout->addLayout(row);
    for (QWidget *child : std::initializer_list<QWidget *>{m_host, m_copies, m_answer, m_predict})
        layout->addWidget(child);
    connect(m_where, &QComboBox::currentIndexChanged, this, [this] {
        choose();
        if (m_where->currentIndex() == 1)
            m_host->setFocus();
    });
    connect(m_host, &QLineEdit::editingFinished, this, &PlacePicker::choose);
    connect(m_copies, &QCheckBox::toggled, this, &PlacePicker::choose);
    connect(m_predict, &QPushButton::clicked, this, &PlacePicker::predictionAsked);
    connect(m_place, &RunPlace::changed, this, &PlacePicker::show);
    show();
}

void PlacePicker::setCaptionWidth(int width)
{
    m_caption->setMinimumWidth(width);
}

void PlacePicker::choose()
{
    m_place->choose(m_where->currentIndex() == 1 ? m_host->text() : QString(), m_copies->isChecked());
    show();
}

void PlacePicker::show()
{
    const bool isThere = m_where->currentIndex() == 1;
    m_host->setVisible(isThere);
    m_copies->setVisible(isThere);
    m_answer->setVisible(isThere && (m_place->isAsking() || !m_place->answer().isEmpty()));
    m_answer->setText(m_place->isAsking() ? Words::tr("Connecting...") : m_place->answer());
    m_predict->setVisible(isThere && m_place->hardware().has_value());
    emit sizeChanged();
}

} // namespace stagelens::ui
