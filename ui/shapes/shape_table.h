// The table of shapes: how a cluster is divided, and what the best plan of each division takes.
#pragma once

#include "ui/words/shape_words.h"

#include <QTreeWidget>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::ui {

/// A row for each plan. Rows on the front have a dot, those that do not fit their reason. A click without a modifier, Return
/// and the double click choose a row; Shift and Ctrl select several.
class ShapeTable : public QTreeWidget {
    Q_OBJECT
public:
    explicit ShapeTable(QWidget *parent = nullptr);

    /// What a plan is, then time and memory, which a person chooses by, then why.
    enum Column : int {
        Pipeline,
        Tensor,
        Context,
        Replicas,
        Methods,
        Microbatches,
        Time,
        Memory,
        Days,
        Money,
        Front,
        Headroom,
        Bubble,
        Exchanges,
        Remark,
        kColumns
    };
    /// What the figures of the rows depend on beside them.
    struct Frame {
        std::optional<base::Bytes> limit; ///< of a rank
        std::optional<double> tokens;     ///< of the training; absent: no days
        double price = 0;                 ///< of a GPU-hour; 0: no costs
        QString currency;
    };
    void setRows(std::vector<ShapeRow> rows, Frame frame);
    void setTraining(std::optional<double> tokens, double price, const QString &currency);
    /// What a filter keeps: 0 keeps every degree.
    struct Filter {
        std::array<int, 4> degrees{}; ///< of the first four columns
        bool onlyFitting = false;
        bool onlyFront = false;
    };
    void setFilter(const Filter &filter);
    /// Marks the row of the plan that the window shows.
    void markPlan(const model::Experiment &plan);

    [[nodiscard]] const std::vector<ShapeRow> &rows() const { return m_rows; }
    /// Of the rows that are selected and can be predicted, in the order of the table.
    [[nodiscard]] std::vector<const ShapeRow *> selectedRows() const;
    [[nodiscard]] int shownRows() const;

signals:
    void chosen(const model::Experiment &plan);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fill();
    /// Gives the methods the room that the columns up to the memory leave.
    void fitMethods();
    void fillRow(QTreeWidgetItem &item, const ShapeRow &row, const QString &methods);
    void choose(const QTreeWidgetItem *item);
    [[nodiscard]] const ShapeRow *rowOf(const QTreeWidgetItem *item) const;

    std::vector<ShapeRow> m_rows;
    Frame m_frame;
    Filter m_filter;
    std::optional<model::Experiment> m_plan;
};

} // namespace stagelens::ui
