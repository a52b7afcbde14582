#include "ui/controls/text_tables.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace stagelens::ui {
namespace {

/// Returns the width that a cell's text would like, in pixels.
double widthOf(const QTextTableCell &cell)
{
    double width = 0;
    for (auto at = cell.begin(); !at.atEnd(); ++at)
        for (auto part = at.currentBlock().begin(); !part.atEnd(); ++part)
            width += QFontMetricsF(part.fragment().charFormat().font()).horizontalAdvance(part.fragment().text());
    return width;
}

void fit(QTextTable &table, double room)
{
    QTextTableFormat format = table.format();
    const auto isAsQtDoes = format.columnWidthConstraints().isEmpty();
    if (isAsQtDoes && table.document()->documentLayout()->frameBoundingRect(&table).width() <= room)
        return;
    // A long sentence wraps well, a short figure does not: by their roots, columns of few letters keep them in one line.
    std::vector<double> shares(static_cast<std::size_t>(table.columns()), 1);
    for (int column = 0; column < table.columns(); ++column)
        for (int row = 0; row < table.rows(); ++row) {
            double &share = shares[static_cast<std::size_t>(column)];
            share = std::max(share, std::sqrt(widthOf(table.cellAt(row, column))));
        }
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    QList<QTextLength> widths;
    for (const double share : shares)
        widths.push_back(QTextLength(QTextLength::PercentageLength, 100 * share / all));
    if (widths == format.columnWidthConstraints())
        return;
    format.setColumnWidthConstraints(widths);
    format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
    table.setFormat(format);
}

} // namespace

void fitTables(QTextDocument &document, double room)
{
    for (QTextFrame *frame : document.rootFrame()->childFrames())
        if (auto *table = qobject_cast<QTextTable *>(frame))
            fit(*table, room);
}

void mendHeaders(QTextDocument &document)
{
    for (QTextFrame *frame : document.rootFrame()->childFrames()) {
        auto *table = qobject_cast<QTextTable *>(frame);
        if (table == nullptr || table->columns() < 2)
            continue;
        QTextCursor cursor = table->cellAt(0, 0).firstCursorPosition();
        const QTextCursor other = table->cellAt(0, 1).firstCursorPosition();
        const int end = table->cellAt(0, 0).lastCursorPosition().position();
        if (cursor.position() == end || cursor.block().length() > 1)
            continue;
        cursor.deleteChar(); // the end of the empty line
        cursor.setPosition(end - 1, QTextCursor::KeepAnchor);
        QTextCharFormat format;
        format.setFontWeight(QFont::Bold);
        cursor.mergeCharFormat(format);
        cursor.setBlockFormat(other.blockFormat());
    }
}

} // namespace stagelens::ui
