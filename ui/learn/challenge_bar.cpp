#include "ui/learn/challenge_bar.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ChallengeBar::ChallengeBar(QWidget *parent)
    : QWidget(parent), m_title(plainLabel(this)), m_lines(new QVBoxLayout), m_help(plainLabel(this)),
      m_ask(new QPushButton(Words::tr("&Hint"), this)), m_show(new QPushButton(Words::tr("&Solution"), this))
{
    setObjectName(u"learn.challenge"_s);
    m_title->setObjectName(u"challenge.title"_s);
    m_title->setFont(scaled(font(), TypeSize::Heading, QFont::DemiBold));
    m_title->setWordWrap(true);
    m_help->setObjectName(u"challenge.hint"_s);
    m_help->setWordWrap(true);
    m_ask->setObjectName(u"challenge.ask"_s);
    m_ask->setToolTip(Words::tr("Says where to look"));
    m_show->setObjectName(u"challenge.show"_s);
    m_show->setToolTip(Words::tr("Makes the change that meets every goal; Reset takes it back"));
    m_lines->setSpacing(4);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    row->addStretch(1);
    for (QPushButton *button : {m_ask, m_show}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addLayout(m_lines);
    layout->addWidget(m_help);
    layout->addLayout(row);
    connect(m_ask, &QPushButton::clicked, this, [this] {
        m_help->setText(m_hint);
        m_help->show();
        m_ask->setEnabled(false);
    });
    connect(m_show, &QPushButton::clicked, this, [this] {
        m_isShown = true;
        emit solutionAsked();
    });
    hide();
}

void ChallengeBar::begin(const TourStep &step)
{
    m_goals = step.goals;
    m_met.assign(m_goals.size(), false);
    m_hint = step.hint;
    m_isSolved = false;
    m_isShown = false;
    m_help->clear();
    m_help->hide();
    m_ask->setEnabled(true);
    qDeleteAll(m_labels);
    qDeleteAll(m_marks);
    m_labels.clear();
    m_marks.clear();
    while (const QLayoutItem *line = m_lines->takeAt(0))
        delete line;
    for (std::size_t goal = 0; goal < m_goals.size(); ++goal) {
        m_labels.push_back(plainLabel(this));
        m_labels.back()->setObjectName(u"challenge.goal%1"_s.arg(goal));
        m_labels.back()->setWordWrap(true);
        m_marks.push_back(plainLabel(this));
        auto *line = new QHBoxLayout;
        line->setSpacing(8);
        line->addWidget(m_marks.back(), 0, Qt::AlignTop);
        line->addWidget(m_labels.back(), 1);
        m_lines->addLayout(line);
    }
    setVisible(!m_goals.empty());
    showGoals(m_met);
}

void ChallengeBar::follow(const Facts &facts, bool isSound)
{
    if (m_goals.empty())
        return;
    std::vector<bool> met;
    for (const CheckedClaim &goal : m_goals)
        met.push_back(isSound && goal.claim.holds(facts.lookup()).value_or(false));
    showGoals(met);
}

void ChallengeBar::showGoals(const std::vector<bool> &met)
{
    m_met = met;
    const Colours &tones = coloursFor(palette());
    for (std::size_t goal = 0; goal < m_labels.size(); ++goal) {
        QString words = m_goals[goal].words;
        words[0] = words[0].toUpper();
        m_labels[goal]->setText(Words::tr("%1.").arg(words));
        const int size = QFontMetrics(m_labels[goal]->font()).height(); // the mark is beside the first line
        m_marks[goal]->setPixmap(glyphIcon(met[goal] ? Glyph::Check : Glyph::Ring)
                                     .pixmap(QSize(size, size) * devicePixelRatioF(), QIcon::Normal, QIcon::Off));
        m_labels[goal]->setAccessibleName((met[goal] ? Words::tr("Met: ") : Words::tr("Not met yet: ")) + words);
        QPalette ink = palette();
        ink.setColor(QPalette::WindowText, met[goal] ? tones.focus : tones.ink);
        m_labels[goal]->setPalette(ink);
    }
    const auto count = std::ranges::count(met, true);
    const auto all = static_cast<std::ptrdiff_t>(met.size());
    m_isSolved = all > 0 && count == all;
    if (!m_isSolved)
        m_title->setText(Words::tr("%1 of %2 goals are met").arg(count).arg(all));
    else
        m_title->setText(m_isShown ? Words::tr("This is a solution") : Words::tr("Solved"));
    m_show->setEnabled(!m_isSolved);
    setAccessibleName(m_title->text());
    QAccessibleEvent changed(this, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&changed);
}

QString ChallengeBar::text() const
{
    QStringList all{m_title->text()};
    for (const QLabel *label : m_labels)
        all << label->accessibleName();
    return all.join(u'\n');
}

void ChallengeBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_labels.empty())
        showGoals(m_met);
    if (event->type() == QEvent::FontChange)
        m_title->setFont(scaled(font(), TypeSize::Heading, QFont::DemiBold));
}

} // namespace stagelens::ui
