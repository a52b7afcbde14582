// The rows of a table as text for another program.
#pragma once

class QAbstractItemView;

namespace stagelens::ui {

/// Adds "Copy" to the context menu of a table or tree; Ctrl+C does the same. It copies the selected cells, rows by lines and
/// columns by tabs, whole rows with their header. Without a selection it copies all rows, if they are at most 10,000.
void addCopyAction(QAbstractItemView *view);

} // namespace stagelens::ui
