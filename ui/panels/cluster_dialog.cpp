#include "ui/panels/cluster_dialog.h"

#include "engine/base/count.h"
#include "engine/model/hardware_fields.h"
#include "engine/model/hardware_json.h"
#include "engine/model/names.h"
#include "ui/canvas/colours.h"
#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/state/engine_bridge.h"
#include "ui/words/engine_messages.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <string_view>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kClusterWidth = 560;
constexpr int kClusterHeight = 620;
constexpr std::string_view kInsideNode = "inside_node.bytes_per_second";
constexpr std::string_view kBetweenNodes = "between_nodes.bytes_per_second";
constexpr int kNumberDigits = 12; ///< that are shown, so that 0.1 GB/s is not 0.1000000000001

QString clusterCaption(const model::HardwareField &field)
{
    const QString caption = engineText(field.caption);
    return field.unit.empty() ? caption : Words::tr("%1 (%2)", "a quantity and its unit").arg(caption, qtText(field.unit));
}

/// "Nodes is -1; choose 0 to 16777216 (the nearest is 0)", of the words after the name.
QString problemOf(const model::HardwareField &field, const QString &fault)
{
    return Words::tr("%1 %2", "a number of a cluster and what is wrong with it: is 3; choose 4 to 5")
        .arg(engineText(field.caption), fault);
}

QString plainNumber(double value)
{
    return QString::number(value, 'g', kNumberDigits);
}

/// "= 400 Gb/s a GPU, 3200 Gb/s a node": vendors count the bits of a network.
QString bitsText(double bytesPerSecond, double linksOfNode, bool isOfGpu)
{
    const auto bits = [](double bytes) { return plainNumber(bytes * 8 / 1e9); };
    const QString one = bits(bytesPerSecond);
    if (linksOfNode <= 0)
        return Words::tr("= %1 Gb/s a GPU").arg(one);
    return (isOfGpu ? Words::tr("= %1 Gb/s a GPU, %2 Gb/s a node") : Words::tr("= %1 Gb/s an adapter, %2 Gb/s a node"))
        .arg(one, bits(bytesPerSecond * linksOfNode));
}

/// "all-reduce among 8 ranks on 1 node, 11 sizes", a line a table.
QString tablesText(const model::Hardware &cluster)
{
    QStringList lines;
    for (const model::CollectiveTable &table : cluster.collectives)
        lines << Words::tr("%1 among %2 ranks on %3: %4 sizes")
                     .arg(qtText(model::name(table.operation)), QString::number(table.ranks),
                          table.nodes == 1 ? Words::tr("1 node") : Words::tr("%1 nodes").arg(table.nodes),
                          QString::number(table.points.size()));
    return lines.isEmpty() ? Words::tr("None: collectives are estimated from the links") : lines.join(u'\n');
}

} // namespace

ClusterDialog::ClusterDialog(const model::Hardware &cluster, EngineBridge *bridge, QWidget *parent)
    : QDialog(parent), m_bridge(bridge), m_cluster(cluster), m_name(new QLineEdit(this)), m_description(new QLineEdit(this)),
      m_currency(new QLineEdit(this)), m_tables(plainLabel(this)), m_message(plainLabel(this))
{
    setObjectName(u"cluster"_s);
    setWindowTitle(Words::tr("Edit the cluster"));
    m_name->setObjectName(u"cluster.name"_s);
    m_message->setObjectName(u"cluster.message"_s);
    m_message->setWordWrap(true);
    m_tables->setWordWrap(true);
    auto *area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setAccessibleName(windowTitle());
    area->setWidget(makeForm());
    auto *buttons = dialogButtons(QDialogButtonBox::Cancel, this);
    m_use = buttons->addButton(Words::tr("Use this cluster"), QDialogButtonBox::AcceptRole);
    m_use->setObjectName(u"cluster.use"_s);
    m_use->setDefault(true);
    QPushButton *open = buttons->addButton(Words::tr("Open a file…"), QDialogButtonBox::ActionRole);
    m_save = buttons->addButton(Words::tr("Save as a file…"), QDialogButtonBox::ActionRole);
    m_save->setToolTip(
        plainTip(Words::tr("For stagelens-cli --hardware FILE and calibrate; the experiment contains the cluster "
                           "without it")));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    const QString filter = Words::tr("Clusters (*.json);;All files (*)");
    connect(open, &QPushButton::clicked, this, [this, filter] {
        if (const QString file = QFileDialog::getOpenFileName(this, Words::tr("Open a cluster"), {}, filter); !file.isEmpty())
            openFrom(file);
    });
    connect(m_save, &QPushButton::clicked, this, [this, filter] {
        const QString name = m_name->text() + u".json"_s;
        if (const QString file = QFileDialog::getSaveFileName(this, Words::tr("Save the cluster"), name, filter);
            !file.isEmpty())
            saveTo(file);
    });
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(area, 1);
    layout->addWidget(m_message);
    layout->addWidget(buttons);
    resizeWithinScreen(*this, {kClusterWidth, kClusterHeight});
    display(m_cluster);
}

QWidget *ClusterDialog::makeForm()
{
    auto *form = new QWidget(this);
    auto *rows = new QFormLayout(form);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto add = [&](const QString &caption, QLineEdit *line, const QString &tip) {
        line->setAccessibleName(caption);
        line->setToolTip(plainTip(tip));
        rows->addRow(plainLabel(caption, form), line);
        connect(line, &QLineEdit::textChanged, this, &ClusterDialog::check);
    };
    add(Words::tr("Name"), m_name, Words::tr("No preset's name"));
    add(Words::tr("Description"), m_description, Words::tr("One line"));
    for (const model::HardwareField &field : model::hardwareFields()) {
        auto *line = new QLineEdit(form);
        line->setObjectName(u"cluster."_s + qtText(field.key));
        add(clusterCaption(field), line, engineText(field.help));
        m_numbers.push_back(line);
        if (field.key == kInsideNode || field.key == kBetweenNodes) {
            QLabel *bits = plainLabel(form);
            bits->setObjectName(line->objectName() + u".bits"_s);
            rows->addRow(QString(), bits);
            (field.key == kInsideNode ? m_insideBits : m_betweenBits) = bits;
        }
    }
    add(Words::tr("Currency of the price"), m_currency, Words::tr("Such as USD"));
    m_tables->setToolTip(plainTip(Words::tr("Fill them with stagelens-cli calibrate --nccl-tests LOG")));
    rows->addRow(plainLabel(Words::tr("Measured collectives"), form), m_tables);
    return form;
}

void ClusterDialog::display(const model::Hardware &cluster)
{
    m_cluster = cluster;
    const auto fill = [](QLineEdit *line, const QString &text) {
        const QSignalBlocker blocker(line);
        line->setText(text);
        line->setCursorPosition(0);
    };
    fill(m_name, qtText(cluster.name));
    fill(m_description, qtText(cluster.description));
    fill(m_currency, qtText(cluster.currency));
    const auto fields = model::hardwareFields();
    for (std::size_t i = 0; i < fields.size(); ++i)
        fill(m_numbers[i], plainNumber(fields[i].value(cluster) / fields[i].scale));
    m_tables->setText(tablesText(cluster));
    check();
}

void ClusterDialog::check()
{
    model::Hardware next = m_cluster;
    m_problem.clear();
    const auto mark = [this](QLineEdit *line, const QString &problem) {
        QPalette tones = palette();
        if (!problem.isEmpty())
            tones.setColor(QPalette::Text, coloursFor(tones).alarm);
        line->setPalette(tones);
        line->setAccessibleDescription(problem);
        if (m_problem.isEmpty())
            m_problem = problem;
    };
    next.name = utf8(m_name->text().trimmed());
    next.description = utf8(m_description->text());
    next.currency = utf8(m_currency->text().trimmed());
    const auto fields = model::hardwareFields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const model::HardwareField &field = fields[i];
        const auto number = base::parseQuantity(utf8(m_numbers[i]->text()));
        // A number that was not changed keeps its digits.
        const bool isSame = m_numbers[i]->text() == plainNumber(field.value(m_cluster) / field.scale);
        const double value = isSame ? field.value(m_cluster) : number.value_or(0) * field.scale;
        const QString fault =
            number ? engineMessage(faultOf(field, field.isWhole ? std::round(value) : value)) : Words::tr("is no number");
        if (fault.isEmpty())
            field.assign(next, field.isWhole ? std::round(value) : value);
        mark(m_numbers[i], fault.isEmpty() ? QString() : problemOf(field, fault));
    }
    m_insideBits->setText(bitsText(next.insideNode.bytesPerSecond, 0, true));
    const bool isOfGpu = next.nicsPerNode == 0;
    m_betweenBits->setText(
        bitsText(next.betweenNodes.bytesPerSecond, isOfGpu ? next.devicesPerNode : next.nicsPerNode, isOfGpu));
    QString ofFile;
    if (m_problem.isEmpty())
        if (const auto sound = model::clusterFromText(model::clusterText(next), "cluster"); !sound)
            ofFile = sentence(sound.error());
    mark(m_name, ofFile);
    if (m_problem.isEmpty())
        m_cluster = next;
    m_use->setEnabled(m_problem.isEmpty());
    m_save->setEnabled(m_problem.isEmpty());
    setMessage(m_problem);
}

void ClusterDialog::setMessage(const QString &text)
{
    m_message->setText(text);
}

void ClusterDialog::saveTo(const QString &file)
{
    const auto write = [cluster = m_cluster, path = utf8(file)](const std::stop_token &) {
        return model::saveCluster(cluster, path);
    };
    setMessage(Words::tr("Saving…"));
    m_bridge->compute(this, write, [this, file](const base::Result<> &saved) {
        setMessage(saved ? Words::tr("Saved as %1.").arg(file)
                         : Words::tr("The cluster was not saved. ") + sentence(saved.error()));
    });
}

void ClusterDialog::openFrom(const QString &file)
{
    const auto read = [path = utf8(file)](const std::stop_token &) { return model::loadCluster(path); };
    m_bridge->compute(this, read, [this](const base::Result<model::Hardware> &cluster) {
        if (cluster)
            display(*cluster);
        else
            setMessage(Words::tr("The file was not opened. ") + sentence(cluster.error()));
    });
}

} // namespace stagelens::ui
