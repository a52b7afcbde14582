#include "ui/panels/launch_report.h"

#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/words/engine_messages.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QLabel>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

LaunchReport::LaunchReport(const QString &file, const service::Launch &launch, QWidget *parent) : QDialog(parent)
{
    constexpr int kReportWidth = 560;
    setObjectName(u"launch.report"_s);
    setWindowTitle(Words::tr("Exported"));
    m_text = Words::tr("Written to %1.").arg(file);
    if (!launch.scheduleCsv.empty())
        m_text += Words::tr(" The schedule is the file beside it that ends in .csv.");
    m_text +=
        u"\n\n"_s + (launch.omitted.empty() ? Words::tr("All of the plan is carried over.") : Words::tr("Not carried over:"));
    for (const std::string &omitted : launch.omitted)
        m_text += u"\n• "_s + engineMessage(omitted);
    m_text += u"\n\n"_s + Words::tr("Names of arguments as in %1.").arg(qtText(launch.version));
    auto *label = plainLabel(m_text, this);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *buttons = dialogButtons(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(label, 1);
    layout->addWidget(buttons);
    resizeWithinScreen(*this, {kReportWidth, sizeHint().height()});
}

} // namespace stagelens::ui
