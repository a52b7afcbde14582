// The table of Compare: what differs, with a judgement where one can be given.
#pragma once

#include "ui/words/comparison.h"

#include <QTableWidget>

namespace stagelens::ui {

/// One column for each thing compared; Ctrl+C copies the selected cells.
class CompareTable : public QTableWidget {
    Q_OBJECT
public:
    explicit CompareTable(QWidget *parent = nullptr);
    /// `header`: the name of the first column, then one for each thing.
    void setComparison(const Comparison &comparison, const QStringList &header);
    /// What shows every row without scrolling.
    [[nodiscard]] int contentHeight() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    void addRow(const QString &what, const QStringList &cells);
    /// Rows and columns as large as their text.
    void fit();
};

} // namespace stagelens::ui
