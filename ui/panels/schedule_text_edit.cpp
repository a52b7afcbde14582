#include "ui/panels/schedule_text_edit.h"
#include "ui/words/plain_text.h"

#include "ui/canvas/colours.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kMarginPadding = 6;
constexpr int kFaultMark = 9; ///< diameter

QString reason(const service::TextFault &fault)
{
    return sentence(base::Problem{{}, fault.message});
}
} // namespace

/// Passes in the colours of the picture, everything else quiet.
class PassHighlighter : public QSyntaxHighlighter {
public:
    PassHighlighter(QTextDocument *document, const QWidget *widget) : QSyntaxHighlighter(document), m_widget(widget) {}

protected:
    void highlightBlock(const QString &text) override
    {
        const Colours &palette = coloursFor(m_widget->palette());
        if (text.startsWith(u'#') || text.startsWith(u"schedule"_s)) {
            setFormat(0, static_cast<int>(text.size()), palette.muted);
            return;
        }
        static const QRegularExpression passes(u"(?<![A-Za-z_])(EF|EB|[FBIWSTU])[0-9]+"_s);
        for (auto found = passes.globalMatch(text); found.hasNext();) {
            const QRegularExpressionMatch match = found.next();
            const auto kind = schedule::parsePassKind(utf8(match.captured(1)));
            if (!kind)
                continue;
            QTextCharFormat format;
            format.setBackground(palette.pass(*kind));
            format.setForeground(inkOn(palette.pass(*kind)));
            setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), format);
        }
    }

private:
    const QWidget *m_widget;
};

ScheduleTextEdit::ScheduleTextEdit(QWidget *parent)
    : QPlainTextEdit(parent), m_margin(new QWidget(this)), m_highlighter(new PassHighlighter(document(), this))
{
    setObjectName(u"schedule.text"_s);
    setAccessibleName(Words::tr("Schedule as text"));
    setUndoRedoEnabled(false);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabChangesFocus(true);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_margin->installEventFilter(this);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (QString text = toPlainText(); !m_showing && text != m_plain) // colours are no edit
            emit edited(m_text = m_plain = std::move(text));
    });
    connect(this, &QPlainTextEdit::updateRequest, m_margin, qOverload<>(&QWidget::update));
    connect(this, &QPlainTextEdit::blockCountChanged, this, &ScheduleTextEdit::placeMargin);
    placeMargin();
}

void ScheduleTextEdit::showText(const QString &text)
{
    if (text == m_text || text + u'\n' == m_text) // the last line may be ended or not
        return;
    const QScopedValueRollback showing(m_showing, true);
    m_text = text;
    const int position = textCursor().position();
    const int across = horizontalScrollBar()->value();
    const int down = verticalScrollBar()->value();
    setPlainText(text);
    m_plain = toPlainText();
    QTextCursor cursor = textCursor();
    cursor.setPosition(std::min(position, document()->characterCount() - 1));
    setTextCursor(cursor);
    horizontalScrollBar()->setValue(across);
    verticalScrollBar()->setValue(down);
}

void ScheduleTextEdit::setFaults(std::vector<service::TextFault> faults)
{
    m_faults = std::move(faults);
    markWords();
    m_margin->update();
}

void ScheduleTextEdit::goTo(int line, int word)
{
    QTextCursor cursor = wordAt(line, word);
    cursor.setPosition(cursor.selectionStart());
    setTextCursor(cursor);
    setFocus();
}

std::vector<int> ScheduleTextEdit::markedLines() const
{
    std::vector<int> lines;
    for (const service::TextFault &fault : m_faults)
        if (lines.empty() || lines.back() != fault.line)
            lines.push_back(fault.line);
    return lines;
}

QTextCursor ScheduleTextEdit::wordAt(int line, int word) const
{
    const QTextBlock block = document()->findBlockByNumber(std::clamp(line - 1, 0, blockCount() - 1));
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    if (word < 1)
        return cursor;
    // A CSV begins with a number or an idle cell, and commas part its cells; our own form begins with a word.
    static const QRegularExpression words(u"\\S+"_s);
    static const QRegularExpression cells(u"[^,]*(,|$)"_s);
    const QString begin = document()->firstBlock().text().trimmed();
    const bool isText = begin.isEmpty() || begin.front().isLetter() || begin.front() == u'#';
    QRegularExpressionMatchIterator found = (isText ? words : cells).globalMatch(block.text());
    for (int n = 1; found.hasNext(); ++n) {
        const QRegularExpressionMatch match = found.next();
        if (n != word)
            continue;
        cursor.setPosition(block.position() + static_cast<int>(match.capturedStart()));
        cursor.setPosition(block.position() + static_cast<int>(match.capturedEnd()), QTextCursor::KeepAnchor);
        return cursor;
    }
    // Behind the last word: a pass is missing there.
    cursor.setPosition(block.position() + std::max(0, block.length() - 2));
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    return cursor;
}

QString ScheduleTextEdit::faultsAt(int line) const
{
    QStringList reasons;
    for (const service::TextFault &fault : m_faults)
        if (fault.line == line)
            reasons << (fault.word > 0 ? Words::tr("Word %1: %2").arg(fault.word).arg(reason(fault)) : reason(fault));
    constexpr int kMostSaid = 6;
    if (reasons.size() > kMostSaid)
        reasons = reasons.mid(0, kMostSaid) << Words::tr("and %1 more").arg(reasons.size() - kMostSaid);
    return reasons.join(u'\n');
}

void ScheduleTextEdit::markWords()
{
    // Filled: a wave alone is lost under words that are filled themselves.
    const Colours &colours = coloursFor(palette());
    QList<QTextEdit::ExtraSelection> marks;
    for (const service::TextFault &fault : m_faults) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = wordAt(fault.line, fault.word);
        mark.format.setBackground(colours.alarm);
        mark.format.setForeground(inkOn(colours.alarm));
        mark.format.setFontWeight(QFont::Bold);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        marks << mark;
    }
    setExtraSelections(marks);
}

void ScheduleTextEdit::placeMargin()
{
    const int digits = static_cast<int>(QString::number(blockCount()).size());
    const int width = fontMetrics().horizontalAdvance(u'9') * std::max(digits, 2) + kFaultMark + 3 * kMarginPadding;
    setViewportMargins(width, 0, 0, 0);
    const QRect inside = contentsRect();
    m_margin->setGeometry(inside.left(), inside.top(), width, inside.height());
}

void ScheduleTextEdit::paintMargin()
{
    QPainter painter(m_margin);
    const Colours &colours = coloursFor(palette());
    painter.fillRect(m_margin->rect(), colours.band);
    painter.setFont(font());
    const std::vector<int> marked = markedLines();
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > m_margin->height())
            break;
        const int line = block.blockNumber() + 1;
        const bool isMarked = std::ranges::binary_search(marked, line);
        if (isMarked)
            painter.fillRect(QRectF(0, place.top(), m_margin->width(), place.height()),
                             mix(colours.alarm, colours.band, kFaultTint));
        painter.setPen(isMarked ? colours.ink : colours.muted);
        // On the baseline of its line, whatever heights are rounded to.
        const QTextLine text = block.layout()->lineAt(0);
        const QString number = QString::number(line);
        painter.drawText(QPointF(m_margin->width() - kMarginPadding - fontMetrics().horizontalAdvance(number),
                                 place.top() + text.y() + text.ascent()),
                         number);
        if (!isMarked)
            continue;
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colours.alarm);
        painter.drawEllipse(QRectF(kMarginPadding, place.center().y() - kFaultMark / 2.0, kFaultMark, kFaultMark));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
}

bool ScheduleTextEdit::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const QPoint at = viewport()->mapFromGlobal(help->globalPos());
        QToolTip::showText(help->globalPos(), plainTip(faultsAt(cursorForPosition(at).blockNumber() + 1)), this);
        return true;
    }
    return QPlainTextEdit::event(event);
}

void ScheduleTextEdit::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        emit escaped();
    else
        QPlainTextEdit::keyPressEvent(event);
}

void ScheduleTextEdit::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    placeMargin();
}

void ScheduleTextEdit::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange)
        return;
    m_highlighter->rehighlight();
    markWords();
    placeMargin();
}

void ScheduleTextEdit::focusOutEvent(QFocusEvent *event)
{
    QPlainTextEdit::focusOutEvent(event);
    emit left();
}

bool ScheduleTextEdit::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_margin && event->type() == QEvent::Paint) {
        paintMargin();
        return true;
    }
    return QPlainTextEdit::eventFilter(watched, event);
}

} // namespace stagelens::ui
