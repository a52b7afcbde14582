#include "ui/learn/card_list.h"

#include "engine/service/engine_service.h"
#include "ui/learn/page_files.h"
#include "ui/learn/page_plans.h"
#include "ui/learn/tour.h"
#include "ui/morph/morph_painter.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kPictureSize{272, 88};
constexpr int kCardInset = 12;
constexpr int kCardGap = 12;
constexpr int kCardSummaryRole = Qt::UserRole + 1;
constexpr int kCardKindRole = Qt::UserRole + 2;

QString kindText(LearnEntry::Kind kind)
{
    switch (kind) {
    case LearnEntry::Kind::Scene: return Words::tr("Scene");
    case LearnEntry::Kind::Tour: return Words::tr("Tour");
    case LearnEntry::Kind::Example: return Words::tr("Example");
    case LearnEntry::Kind::Challenge: return Words::tr("Challenge");
    case LearnEntry::Kind::Page: break;
    }
    return Words::tr("Page");
}

/// What a card is of.
struct CardPlan {
    QString summary;
    model::Experiment experiment;
};

base::Result<CardPlan> planOf(const LearnEntry &entry)
{
    if (entry.kind == LearnEntry::Kind::Example) {
        const auto plan = livePlanOfExample(entry.path);
        return plan ? base::Result<CardPlan>({planCaption(plan->experiment), plan->experiment})
                    : base::Result<CardPlan>(plan.error());
    }
    const auto tour = readTour(utf8(pageFile(entry.path)));
    if (!tour)
        return tour.error();
    // Many tours begin with the same plan, textbook 1F1B, and come to their own in the second step.
    const model::Experiment &first = tour->steps.front().plan.experiment;
    const bool isTextbook = entry.kind != LearnEntry::Kind::Challenge && !first.hasModel && first.schedule.family == "1f1b" &&
                            first.parallel.microbatches > 1;
    return CardPlan{tour->summary, isTextbook && tour->steps.size() > 1 ? tour->steps[1].plan.experiment : first};
}

struct Card {
    QString summary;
    timeline::TimelinePtr timeline; ///< null: the plan cannot be drawn
};

/// A plan of so many microbatches that its picture shows their passes: of more, the first and the last are what a person
/// recognises a schedule by. A plan with an order of its own stays as it is.
model::Experiment pictured(const model::Experiment &plan)
{
    constexpr int kSeen = 16; // microbatches whose passes can be told apart
    model::Experiment small = plan;
    small.parallel.microbatches = std::max(plan.parallel.devices + plan.parallel.devices / 2, kSeen / 2);
    const bool isSmaller = small.parallel.microbatches < plan.parallel.microbatches;
    return plan.parallel.microbatches > kSeen && isSmaller && !plan.schedule.hasOwnOrder() && model::validate(small).empty()
               ? small
               : plan;
}

/// Reads what the card is of, and predicts it.
base::Result<Card> cardOf(const LearnEntry &entry, const std::stop_token &stop)
{
    const auto plan = planOf(entry);
    if (!plan)
        return plan.error();
    if (!livePlanProblems(plan->experiment).empty())
        return Card{plan->summary, nullptr};
    const model::Experiment small = pictured(plan->experiment);
    const auto prediction = service::predict(small, service::machineCores(), {stop, {}});
    QString summary = plan->summary;
    if (small != plan->experiment)
        summary += u' ' + Words::tr("(picture: %1 microbatches)").arg(small.parallel.microbatches);
    return Card{summary, prediction ? (*prediction)->timeline : nullptr};
}

/// Draws a timeline, or an empty picture without one.
QPixmap pictureOf(const timeline::Timeline *timeline, const QPalette &palette, qreal ratio)
{
    QPixmap picture(kPictureSize * ratio);
    picture.setDevicePixelRatio(ratio);
    const Colours &used = coloursFor(palette);
    picture.fill(used.background);
    if (timeline == nullptr)
        return picture;
    const Morph still = morphBetween(*timeline, *timeline);
    MorphLook look;
    look.colours = &used;
    look.isThumbnail = true;
    QPainter painter(&picture);
    paintMorph(painter, still, look, QRect({0, 0}, kPictureSize), 0);
    return picture;
}

/// Draws at most so many lines; the last ends with an ellipsis if the text does not.
void drawWrapped(QPainter &painter, const QRect &place, const QString &text, int most)
{
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    int y = place.top();
    for (int number = 0; number < most; ++number) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(place.width());
        const QString rest = text.mid(line.textStart()).trimmed();
        const bool isCut = number == most - 1 && line.textStart() + line.textLength() < text.size();
        const QString shown = isCut ? painter.fontMetrics().elidedText(rest, Qt::ElideRight, place.width())
                                    : text.mid(line.textStart(), line.textLength()).trimmed();
        painter.drawText(QRect(place.left(), y, place.width(), painter.fontMetrics().lineSpacing()),
                         Qt::AlignLeft | Qt::AlignTop, shown);
        y += painter.fontMetrics().lineSpacing();
    }
    layout.endLayout();
}

class CardDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        const int line = option.fontMetrics.lineSpacing();
        return {kPictureSize.width() + 2 * kCardInset, kPictureSize.height() + 3 * kCardInset + 5 * line + 8};
    }
};

void CardDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Colours &used = coloursFor(option.palette);
    painter->save();
    const QRectF card = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
    const bool isCurrent = (option.state & QStyle::State_HasFocus) != 0 || (option.state & QStyle::State_MouseOver) != 0;
    painter->setRenderHint(QPainter::Antialiasing, true);
    painter->setPen(QPen(isCurrent ? used.focus : used.panelEdge, isCurrent ? 2 : 1));
    painter->setBrush(option.palette.color(QPalette::Base));
    painter->drawRoundedRect(card, 6, 6);
    painter->setRenderHint(QPainter::Antialiasing, false);
    QRect place = option.rect.adjusted(kCardInset, kCardInset, -kCardInset, -kCardInset);
    const auto picture = index.data(Qt::DecorationRole).value<QPixmap>();
    if (!picture.isNull())
        painter->drawPixmap(place.topLeft(), picture);
    place.setTop(place.top() + kPictureSize.height() + kCardInset);
    const auto write = [&](const QString &text, const QFont &font, const QColor &ink, int lines) {
        painter->setFont(font);
        painter->setPen(ink);
        const int height = lines * QFontMetrics(font).lineSpacing();
        QRect line(place.left(), place.top(), place.width(), height);
        if (lines == 1)
            painter->drawText(line, Qt::AlignLeft | Qt::AlignTop,
                              QFontMetrics(font).elidedText(text, Qt::ElideRight, line.width()));
        else
            drawWrapped(*painter, line, text, lines);
        place.setTop(place.top() + height + 2);
    };
    QFont title = option.font;
    title.setWeight(QFont::DemiBold);
    write(index.data(kCardKindRole).toString(), option.font, used.muted, 1);
    write(index.data(Qt::DisplayRole).toString(), title, used.ink, 1);
    write(index.data(kCardSummaryRole).toString(), option.font, used.muted, 3);
    painter->restore();
}

} // namespace

CardList::CardList(EngineBridge *bridge, QWidget *parent) : QListWidget(parent), m_job(bridge)
{
    setObjectName(u"learn.cards"_s);
    setAccessibleName(Words::tr("Scenes, tours, challenges and examples"));
    setViewMode(QListView::IconMode);
    setResizeMode(QListView::Adjust);
    setMovement(QListView::Static);
    setUniformItemSizes(true);
    setSpacing(kCardGap / 2);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setItemDelegate(new CardDelegate(this));
    viewport()->setBackgroundRole(QPalette::Window);
    const auto choose = [this](QListWidgetItem *item) { emit chosen(m_entries[row(item)]); };
    connect(this, &QListWidget::itemClicked, this, choose);
    connect(this, &QListWidget::itemActivated, this, choose);
}

void CardList::setEntries(const QList<LearnEntry> &entries)
{
    clear();
    m_entries.clear();
    for (const LearnEntry::Kind kind :
         {LearnEntry::Kind::Scene, LearnEntry::Kind::Tour, LearnEntry::Kind::Challenge, LearnEntry::Kind::Example})
        for (const LearnEntry &entry : entries)
            if (entry.kind == kind)
                m_entries << entry;
    for (const LearnEntry &entry : m_entries) {
        auto *item = new QListWidgetItem(entry.title, this);
        item->setData(kCardKindRole, kindText(entry.kind));
        item->setData(Qt::AccessibleTextRole, u"%1: %2"_s.arg(kindText(entry.kind), entry.title));
    }
    drawAll();
}

void CardList::drawAll()
{
    m_toDraw.clear();
    for (int i = 0; i < count(); ++i)
        m_toDraw.push_back(i);
    drawNext();
}

void CardList::drawNext()
{
    if (m_toDraw.empty())
        return m_job.cancel();
    const int row = m_toDraw.front();
    m_toDraw.pop_front();
    m_job.start([entry = m_entries[row]](const std::stop_token &stop) { return cardOf(entry, stop); },
                [this, row](const base::Result<Card> &card) {
                    if (card) {
                        item(row)->setData(kCardSummaryRole, card->summary);
                        item(row)->setToolTip(plainTip(card->summary));
                        item(row)->setData(Qt::DecorationRole, pictureOf(card->timeline.get(), palette(), devicePixelRatioF()));
                    }
                    drawNext();
                });
}

void CardList::changeEvent(QEvent *event)
{
    QListWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && count() > 0)
        drawAll();
}

void CardList::resizeEvent(QResizeEvent *event)
{
    QListWidget::resizeEvent(event);
    fitCards();
}

void CardList::fitCards()
{
    // Cards stand in the middle: what is free beside them is shared.
    const int card = kPictureSize.width() + 2 * kCardInset + kCardGap;
    const int columns = std::max((width() - 24) / card, 1);
    const int margin = std::max((width() - columns * card) / 2 - 12, 0);
    setViewportMargins(margin, 8, 0, 8);
}

} // namespace stagelens::ui
