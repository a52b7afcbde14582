#include "ui/panels/scaled_copy_dialog.h"
#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/words/plain_text.h"

#include "ui/state/scaled_copy.h"
#include "ui/words/differences.h"
#include "ui/words/tr.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kWidth = 520;
}

ScaledCopyDialog::ScaledCopyDialog(const model::Experiment &experiment, const model::Experiment &copy, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"scaled-copy"_s);
    setWindowTitle(Words::tr("Train a scaled copy here"));
    const QString sentence = Words::tr("A copy small enough for this computer. In both, the output layer costs %1 times as "
                                       "much as the layers of one device, "
                                       "so the bubble has the same cause; devices, microbatches and schedule stay.")
                                 .arg(QString::number(vocabularyRatio(copy), 'g', 2));
    auto *label = plainLabel(sentence, this);
    label->setWordWrap(true);
    const std::vector<FieldDifference> changed = differences(experiment, copy);
    auto *table = new QTableWidget(static_cast<int>(changed.size()), 3, this);
    table->setObjectName(u"scaled-copy.table"_s);
    table->setAccessibleName(Words::tr("What the copy changes"));
    table->setHorizontalHeaderLabels({Words::tr("Field"), Words::tr("This plan"), Words::tr("Scaled copy")});
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    int row = 0;
    for (const FieldDifference &difference : changed) {
        table->setItem(row, 0, new QTableWidgetItem(fieldCaption(difference.field)));
        table->setItem(row, 1, new QTableWidgetItem(difference.first));
        table->setItem(row, 2, new QTableWidgetItem(difference.second));
        ++row;
    }
    auto *buttons = dialogButtons(QDialogButtonBox::Cancel, this);
    QPushButton *open = buttons->addButton(Words::tr("Open the copy"), QDialogButtonBox::AcceptRole);
    open->setObjectName(u"scaled-copy.open"_s);
    open->setToolTip(Words::tr("Makes it the current experiment; F5 trains it, undo brings this plan back."));
    open->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(label);
    layout->addWidget(table, 1);
    layout->addWidget(buttons);
    const int rows = table->rowCount() * table->verticalHeader()->defaultSectionSize();
    resizeWithinScreen(*this, {kWidth, label->heightForWidth(kWidth) + rows + 6 * table->fontMetrics().height()});
}

} // namespace stagelens::ui
