// How SweepPage's controls and plots are placed.
#include "ui/controls/flow_layout.h"
#include "ui/controls/message_bar.h"
#include "ui/controls/number_box.h"
#include "ui/pages/sweep_page.h"
#include "ui/plots/sweep_multiples.h"
#include "ui/plots/sweep_plot.h"
#include "ui/state/experiment_document.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFieldGap = 8;
constexpr int kValuesLetters = 24;
constexpr int kWidestValues = 480;
constexpr int kDefaultAllowance = 5; ///< per cent

/// A control with its caption before it.
QWidget *captioned(const QString &caption, QWidget *control)
{
    auto *box = new QWidget;
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    auto *label = plainLabel(caption, box);
    label->setBuddy(control);
    control->setAccessibleName(caption);
    row->addWidget(label);
    row->addWidget(control);
    return box;
}

} // namespace

void SweepPage::build()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(8);
    m_bar = new MessageBar(u"sweep.bar"_s, this);
    m_results = new QWidget(this);
    auto *results = new QVBoxLayout(m_results);
    results->setContentsMargins(0, 0, 0, 0);
    results->setSpacing(layout->spacing());
    m_legend = new QWidget(m_results);
    auto *legend = new FlowLayout(m_legend, 2 * kFieldGap, 4);
    legend->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(makeControls());
    layout->addWidget(makeMethods());
    layout->addWidget(m_bar);
    results->addWidget(m_legend);
    makePlots();
    auto *plots = new QSplitter(Qt::Horizontal, m_results);
    plots->addWidget(m_metricPlot);
    plots->addWidget(m_memoryPlot);
    plots->setChildrenCollapsible(false);
    results->addWidget(plots, 1);
    layout->addWidget(m_results, 1);
    m_point = plainLabel(this);
    m_point->setObjectName(u"sweep.point"_s);
    m_point->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_point->setWordWrap(true);
    m_open = new QPushButton(Words::tr("Open in Explore"), this);
    m_open->setObjectName(u"sweep.open"_s);
    m_open->setToolTip(Words::tr("Makes the chosen point's plan the experiment (double-click or Return on the point)"));
    connect(m_open, &QPushButton::clicked, this, [this] { open(m_chosen); });
    m_compare = new QPushButton(Words::tr("Compare the series"), this);
    m_compare->setObjectName(u"sweep.compare"_s);
    m_compare->setToolTip(Words::tr("Puts the plans of the marked point's series side by side; Compare shows two to six"));
    connect(m_compare, &QPushButton::clicked, this, [this] { emit compareAsked(seriesOfChosen()); });
    m_export = new QPushButton(Words::tr("Export…"), this);
    m_export->setObjectName(u"sweep.export"_s);
    m_export->setToolTip(Words::tr("The figures as CSV or JSON, or the picture as PNG, SVG or PDF"));
    connect(m_export, &QPushButton::clicked, this, &SweepPage::askForFile);
    layout->addWidget(makeGoal(), 0, Qt::AlignLeft); // a line of its own: both rows fit a screen of 683 pixels
    auto *row = new QHBoxLayout;
    row->addWidget(m_point, 1);
    row->addWidget(m_export);
    row->addWidget(m_compare);
    row->addWidget(m_open);
    layout->addLayout(row);
    // Last: what answers looks at every control.
    for (QLineEdit *values : {m_firstValues, m_secondValues})
        connect(values, &QLineEdit::textChanged, this, &SweepPage::edited);
}

QWidget *SweepPage::makeControls()
{
    auto *controls = new QWidget(this);
    auto *flow = new FlowLayout(controls, 2 * kFieldGap, kFieldGap);
    flow->setContentsMargins(0, 0, 0, 0);
    const auto makeValues = [this](const QString &name) {
        auto *values = new QLineEdit(this);
        values->setObjectName(name);
        return values;
    };
    m_first = new QComboBox(this);
    m_first->setObjectName(u"sweep.first"_s);
    m_second = new QComboBox(this);
    m_second->setObjectName(u"sweep.second"_s);
    m_second->addItem(Words::tr("nothing else"));
    for (const SweepParameter &parameter : sweepParameters()) {
        m_first->addItem(parameter.name());
        m_second->addItem(parameter.name());
    }
    m_firstValues = makeValues(u"sweep.firstValues"_s);
    m_firstValues->setAccessibleName(Words::tr("Values of the first parameter"));
    m_secondValues = makeValues(u"sweep.secondValues"_s);
    m_secondValues->setAccessibleName(Words::tr("Values of the second parameter"));
    m_secondValues->hide();
    m_how = new QComboBox(this);
    m_how->setObjectName(u"sweep.how"_s);
    m_how->addItems({Words::tr("predict"), Words::tr("train on this computer")});
    m_metric = new QComboBox(this);
    m_metric->setObjectName(u"sweep.metric"_s);
    for (const SweepMetric &metric : sweepMetrics())
        m_metric->addItem(metric.name);
    flow->addWidget(captioned(Words::tr("&Vary"), m_first));
    flow->addWidget(m_firstValues);
    flow->addWidget(captioned(Words::tr("a&nd"), m_second));
    flow->addWidget(m_secondValues);
    flow->addWidget(captioned(Words::tr("&Show"), m_metric));
    const auto offer = [this](QLineEdit *values, int parameter) {
        const SweepParameter &chosen = sweepParameters()[static_cast<std::size_t>(parameter)];
        const QString offered = offeredValues(chosen, m_document->experiment());
        values->setToolTip(
            plainTip(chosen.isShape    ? Words::tr("Pipeline x tensor x data, or pipeline x tensor x context x data, separated "
                                                      "by spaces; the sequences of a step stay as they are")
                     : chosen.isWord() ? Words::tr("Separated by spaces: %1").arg(chosen.words().join(u", "_s))
                                       : Words::tr("Whole numbers, separated by spaces; 32k is 32,000 and 32Ki is 32,768")));
        values->setText(offered);
        values->setCursorPosition(0);
        const QFontMetrics metrics = values->fontMetrics();
        values->setMinimumWidth(
            std::max(metrics.averageCharWidth() * kValuesLetters,
                     std::min(metrics.horizontalAdvance(offered), kWidestValues) + metrics.averageCharWidth() * 3));
    };
    offer(m_firstValues, 0);
    connect(m_first, &QComboBox::currentIndexChanged, this, [this, offer](int index) { offer(m_firstValues, index); });
    connect(m_second, &QComboBox::currentIndexChanged, this, [this, offer](int index) {
        if (index > 0)
            offer(m_secondValues, index - 1);
        edited();
    });
    connect(m_how, &QComboBox::currentIndexChanged, this, &SweepPage::edited);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &SweepPage::refreshPlots);
    return controls;
}

QWidget *SweepPage::makeMethods()
{
    auto *row = new QWidget(this);
    auto *flow = new FlowLayout(row, 2 * kFieldGap, kFieldGap);
    flow->setContentsMargins(0, 0, 0, 0);
    const auto prepared = preparedSweep().methods;
    auto *title = plainLabel(Words::tr("Vocabulary layers"), row);
    flow->addWidget(title);
    for (const model::VocabularyTraits &choice : model::kVocabularyChoices) {
        const model::VocabularyMethod method = choice.method;
        auto *box = new QCheckBox(shortName(method), row);
        box->setObjectName(u"sweep.method.%1"_s.arg(static_cast<int>(method)));
        box->setToolTip(plainTip(caption(method)));
        box->setChecked(std::ranges::find(prepared, method) != prepared.end());
        connect(box, &QCheckBox::toggled, this, &SweepPage::edited);
        m_methods.push_back(box);
        title->setMinimumHeight(box->sizeHint().height());
        flow->addWidget(box);
    }
    m_start = new QPushButton(Words::tr("Start"), row);
    m_start->setObjectName(u"sweep.start"_s);
    m_start->setAutoDefault(false);
    m_cancel = new QPushButton(Words::tr("Cancel"), row);
    m_cancel->setObjectName(u"sweep.cancel"_s);
    m_cancel->setToolTip(Words::tr("Keeps what is done"));
    m_amount = plainLabel(row);
    m_amount->setObjectName(u"sweep.amount"_s);
    m_amount->setMinimumHeight(m_start->sizeHint().height()); // in line with the button
    m_progress = new QProgressBar(row);
    m_progress->setObjectName(u"sweep.progress"_s);
    flow->addWidget(captioned(Words::tr("&How"), m_how));
    for (QWidget *widget : std::initializer_list<QWidget *>{m_start, m_cancel, m_progress, m_amount})
        flow->addWidget(widget);
    connect(m_start, &QPushButton::clicked, this, &SweepPage::start);
    connect(m_cancel, &QPushButton::clicked, this, &SweepPage::cancel);
    return row;
}

QWidget *SweepPage::makeGoal()
{
    auto *goal = new QWidget(this);
    auto *row = new QHBoxLayout(goal);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    m_goal = new QCheckBox(Words::tr("&Mark the least memory, slower by at most"), goal);
    m_goal->setObjectName(u"sweep.goal"_s);
    m_goal->setToolTip(Words::tr("Which of the plans that do the same work is marked in both plots; unticked, the fastest is"));
    m_allowance = new NumberBox(goal);
    m_allowance->setObjectName(u"sweep.allowance"_s);
    m_allowance->setAccessibleName(Words::tr("Slower by at most"));
    m_allowance->setRange(0, 100);
    m_allowance->setValue(kDefaultAllowance);
    m_allowance->setSuffix(u" %"_s);
    row->addWidget(m_goal);
    row->addWidget(m_allowance);
    connect(m_goal, &QCheckBox::toggled, this, [this] {
        m_isChosenByHand = false;
        chooseBest();
    });
    connect(m_allowance, &QSpinBox::valueChanged, this, [this] {
        m_isChosenByHand = false;
        chooseBest();
    });
    return goal;
}

SweepPlot *SweepPage::metricPlot()
{
    return metricPlots().front();
}

const std::vector<SweepPlot *> &SweepPage::metricPlots() const
{
    return m_metricPlot->plots();
}

void SweepPage::makePlots()
{
    m_metricPlot = new SweepMultiples(u"sweep.metricPlot"_s, this);
    m_memoryPlot = new SweepPlot(u"sweep.memoryPlot"_s, this);
    const auto follow = [this]<class Plot>(Plot *plot) {
        connect(plot, &Plot::pointed, this, &SweepPage::highlight);
        connect(plot, &Plot::chosen, this, &SweepPage::chooseByHand);
        connect(plot, &Plot::opened, this, &SweepPage::open);
    };
    follow(m_metricPlot);
    follow(m_memoryPlot);
}

} // namespace stagelens::ui
