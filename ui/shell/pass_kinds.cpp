#include "ui/shell/pass_kinds.h"

#include "ui/controls/copied_rows.h"
#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/plots/step_strip.h"
#include "ui/words/plain_text.h"
#include "ui/words/run_words.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/verdict.h"
#include "ui/words/words.h"

#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kBusySpread = 0.1;
constexpr int kSpare = 16; ///< pixels below the last row, which show that it is the last
constexpr std::size_t kFewestStepsOfSpread = 4;

template <class Value>
Value quantile(std::vector<Value> values, std::size_t quarter)
{
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * quarter / 4);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

void fillTable(QTableWidget &table, const std::vector<PassKindRow> &rows)
{
    const auto put = [&table](int row, int column, const QString &text) {
        auto *item = new QTableWidgetItem(text);
        item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        table.setItem(row, column, item);
    };
    table.setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < table.rowCount(); ++row) {
        const PassKindRow &kind = rows[static_cast<std::size_t>(row)];
        const auto measured = static_cast<double>(kind.measured);
        put(row, 0, qtText(schedule::name(kind.kind)));
        put(row, 1, countText(static_cast<double>(kind.count)));
        put(row, 2, durationText(kind.predicted));
        put(row, 3, durationText(kind.measured));
        put(row, 4, kind.predicted > 0 ? percentText(measured / static_cast<double>(kind.predicted) - 1) : u"–"_s);
        put(row, 5, u"%1 … %2"_s.arg(percentText(kind.lower - 1), percentText(kind.upper - 1)));
        put(row, 7, kind.processor ? shareText(*kind.processor) : u"–"_s);
        put(row, 6, (kind.gained < 0 ? u"−"_s : u"+"_s) + durationText(std::abs(kind.gained)));
    }
}

QTableWidget *makeTable(QWidget *parent, const std::vector<PassKindRow> &rows)
{
    auto *table = new QTableWidget(parent);
    table->setObjectName(u"passKinds.table"_s);
    table->setAccessibleName(Words::tr("Measured against predicted, by pass kind"));
    const QStringList captions{Words::tr("Pass"),       Words::tr("Count"),  Words::tr("Predicted"), Words::tr("Measured"),
                               Words::tr("Difference"), Words::tr("Spread"), Words::tr("In all"),    Words::tr("Processor")};
    const QStringList tips{{},
                           Words::tr("Passes that the prediction and the run both have"),
                           Words::tr("Median duration of a pass"),
                           Words::tr("Median duration of a pass"),
                           Words::tr("Of the two medians"),
                           Words::tr("Half of the passes differ from their prediction by this much"),
                           Words::tr("Measured less predicted, of all passes of the kind"),
                           Words::tr("The part of the measured time in which no other program had the processor")};
    table->setColumnCount(static_cast<int>(captions.size()));
    table->setHorizontalHeaderLabels(captions);
    for (int column = 0; column < table->columnCount(); ++column)
        table->horizontalHeaderItem(column)->setToolTip(plainTip(tips[column]));
    fillTable(*table, rows);
    table->verticalHeader()->hide();
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->resizeColumnsToContents();
    table->horizontalHeader()->setStretchLastSection(true);
    addCopyAction(table);
    return table;
}

} // namespace

std::vector<PassKindRow> passKindRows(const timeline::Timeline &predicted, const timeline::Timeline &measured)
{
    struct Times {
        std::vector<base::Nanos> predicted;
        std::vector<base::Nanos> measured;
        std::vector<double> ratio;
        base::Nanos gained = 0;
        base::Nanos wall = 0; ///< measured, with the processor time below
        base::Nanos processor = 0;
    };
    std::array<Times, schedule::kPassKindCount> times;
    for (const timeline::PassDifference &each : timeline::difference(predicted, measured).passes) {
        Times &kind = times[static_cast<std::size_t>(each.pass.kind)];
        kind.predicted.push_back(each.first);
        kind.measured.push_back(each.second);
        if (each.first > 0)
            kind.ratio.push_back(static_cast<double>(each.second) / static_cast<double>(each.first));
        kind.gained += each.second - each.first;
    }
    for (const timeline::Lane &lane : measured.lanes)
        for (std::size_t i = 0; i < lane.processor.size(); ++i) {
            Times &kind = times[static_cast<std::size_t>(lane.pass[i].kind)];
            kind.wall += lane.end[i] - lane.begin[i];
            kind.processor += lane.processor[i];
        }
    std::vector<PassKindRow> rows;
    for (std::size_t kind = 0; kind < times.size(); ++kind) {
        const Times &of = times[kind];
        if (of.predicted.empty())
            continue;
        PassKindRow row{static_cast<schedule::PassKind>(kind), of.predicted.size(), quantile(of.predicted, 2),
                        quantile(of.measured, 2)};
        row.lower = of.ratio.empty() ? 1 : quantile(of.ratio, 1);
        row.upper = of.ratio.empty() ? 1 : quantile(of.ratio, 3);
        row.gained = of.gained;
        if (of.wall > 0)
            row.processor = static_cast<double>(of.processor) / static_cast<double>(of.wall);
        rows.push_back(row);
    }
    return rows;
}

QString busyMachineText(const simulate::Metrics &metrics, const std::vector<base::Nanos> &iterations)
{
    if (metrics.wasMachineBusy())
        return Words::tr("The machine was busy: passes had a processor for %1 of their time, other programs for the rest. "
                         "Train again when it is idle.")
            .arg(shareText(*metrics.processorShare));
    const Spread spread = spreadOf(iterations);
    if (spread.steps < kFewestStepsOfSpread || spread.median <= 0)
        return {};
    const double width = static_cast<double>(spread.upper - spread.lower) / static_cast<double>(spread.median);
    if (width <= kBusySpread)
        return {};
    return Words::tr(
               "The machine was probably busy with other work: half of the steps took %1 to %2, although each does the same "
               "work. Train again when it is idle.")
        .arg(durationText(spread.lower), durationText(spread.upper));
}

QDialog *showPassKinds(QWidget *parent, const timeline::Timeline &predicted, const timeline::Timeline &measured,
                       const simulate::Metrics &metrics, const std::vector<base::Nanos> &iterations)
{
    auto *dialog = new QDialog(parent);
    dialog->setObjectName(u"passKinds"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(Words::tr("Measured against predicted, by pass kind"));
    auto *layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    const QString busy = busyMachineText(metrics, iterations);
    QString iteration =
        Words::tr("The iteration: predicted %1, measured %2. What the passes do not explain is waiting and messages.")
            .arg(durationText(predicted.iteration()), durationText(measured.iteration()) + typicalText(metrics));
    if (metrics.typicalOfSteps)
        iteration += u' ' + Words::tr("In a typical step each pass lasts its median over the steps, so it may be shorter than "
                                      "any of them.");
    for (const QString &text : {busy, iteration}) {
        if (text.isEmpty())
            continue;
        QLabel *label = plainLabel(text, dialog);
        label->setObjectName(text == busy ? u"passKinds.busy"_s : u"passKinds.iteration"_s);
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    if (iterations.size() > 1) {
        auto *steps = new StepStrip(dialog);
        steps->setObjectName(u"passKinds.steps"_s);
        steps->setSteps(iterations, predicted.iteration());
        layout->addWidget(steps);
    }
    QTableWidget *table = makeTable(dialog, passKindRows(predicted, measured));
    layout->addWidget(table, 1);
    auto *buttons = dialogButtons(QDialogButtonBox::Close, dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    buttons->setFocus(); // in the table the focus would mark the first cell
    layout->addWidget(buttons);
    constexpr int kWidth = 680;
    const int rows =
        table->horizontalHeader()->sizeHint().height() + table->verticalHeader()->length() + 2 * table->frameWidth();
    const int around = layout->totalHeightForWidth(kWidth) - table->sizeHint().height();
    resizeWithinScreen(*dialog, {kWidth, around + rows + kSpare});
    dialog->show();
    return dialog;
}

} // namespace stagelens::ui
