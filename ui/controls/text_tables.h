// Tables of a text, which Qt lets grow as wide as their longest words need.
#pragma once

class QTextDocument;

namespace stagelens::ui {

/// Gives the columns of tables that are wider than `room` pixels parts of that room, by what their cells hold; words too long
/// for a column break. Other tables are laid out as Qt does. O(cells).
void fitTables(QTextDocument &document, double room);

/// Mends what Qt 6.4 makes of a table after a code block: the first cell of its header begins with an empty line and is not
/// bold.
void mendHeaders(QTextDocument &document);

} // namespace stagelens::ui
