#include "ui/sweep/sweep_controls.h"

#include "ui/controls/flow_layout.h"
#include "ui/state/experiment_document.h"
#include "ui/sweep/tick_list.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFieldGap = 8;
constexpr int kValuesLetters = 24;
constexpr int kWidestValues = 480;
constexpr int kTrain = 1; ///< in the list of ways: predict, train

} // namespace

SweepControls::SweepControls(ExperimentDocument *document, QWidget *parent) : QWidget(parent), m_document(document)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kFieldGap);
    layout->addWidget(makeParameters());
    layout->addWidget(makeMethods());
    // Last: whoever answers looks at every control.
    for (const Values &values : {m_firstValues, m_secondValues})
        connect(values.line, &QLineEdit::textChanged, this, &SweepControls::edited);
}

QWidget *SweepControls::makeParameters()
{
    auto *controls = new QWidget(this);
    auto *flow = new FlowLayout(controls, 2 * kFieldGap, kFieldGap);
    flow->setContentsMargins(0, 0, 0, 0);
    m_first = new QComboBox(this);
    m_first->setObjectName(u"sweep.first"_s);
    m_second = new QComboBox(this);
    m_second->setObjectName(u"sweep.second"_s);
    m_second->addItem(Words::tr("nothing else"));
    for (const SweepParameter &parameter : sweepParameters()) {
        m_first->addItem(parameter.name());
        m_second->addItem(parameter.name());
    }
    m_firstValues = makeValues(u"sweep.first"_s, Words::tr("Values of the first parameter"));
    m_secondValues = makeValues(u"sweep.second"_s, Words::tr("Values of the second parameter"));
    showFor(m_secondValues, nullptr);
    m_how = new QComboBox(this);
    m_how->setObjectName(u"sweep.how"_s);
    m_how->addItems({Words::tr("predict"), Words::tr("train on this computer")});
    m_metric = new QComboBox(this);
    m_metric->setObjectName(u"sweep.metric"_s);
    for (const SweepMetric &metric : sweepMetrics())
        m_metric->addItem(metric.name);
    flow->addWidget(captioned(Words::tr("&Vary"), m_first));
    for (QWidget *values : std::initializer_list<QWidget *>{m_firstValues.line, m_firstValues.list})
        flow->addWidget(values);
    flow->addWidget(captioned(Words::tr("a&nd"), m_second));
    for (QWidget *values : std::initializer_list<QWidget *>{m_secondValues.line, m_secondValues.list})
        flow->addWidget(values);
    flow->addWidget(captioned(Words::tr("&Show"), m_metric));
    offer(m_firstValues, 0);
    connect(m_first, &QComboBox::currentIndexChanged, this, [this](int index) { offer(m_firstValues, index); });
    connect(m_second, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index > 0)
            offer(m_secondValues, index - 1);
        else
            showFor(m_secondValues, nullptr);
        emit edited();
    });
    connect(m_how, &QComboBox::currentIndexChanged, this, &SweepControls::edited);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &SweepControls::metricChanged);
    return controls;
}

void SweepControls::varySchedule()
{
    const auto parameters = sweepParameters();
    const auto schedule = std::ranges::find_if(
        parameters, [](const SweepParameter &parameter) { return parameter.field->path == "schedule.family"; });
    const auto index = static_cast<int>(schedule - parameters.begin());
    if (m_first->currentIndex() == index)
        offer(m_firstValues, index); // it is varied, but over fewer families
    else
        m_first->setCurrentIndex(index);
}

SweepControls::Values SweepControls::makeValues(const QString &name, const QString &caption)
{
    const Values values{new QLineEdit(this), new TickList(name + u"Ticks"_s, this)};
    values.line->setObjectName(name + u"Values"_s);
    values.line->setAccessibleName(caption);
    values.list->setAccessibleName(caption);
    connect(values.list, &TickList::edited, values.line,
            [line = values.line](const QStringList &words) { line->setText(words.join(u", "_s)); });
    connect(values.line, &QLineEdit::textChanged, values.list, [list = values.list](const QString &text) {
        static const QRegularExpression kSeparators(u"[,;\\s]+"_s);
        list->setTicked(text.toLower().split(kSeparators, Qt::SkipEmptyParts));
    });
    return values;
}

void SweepControls::showFor(const Values &values, const SweepParameter *parameter)
{
    const bool isList = parameter != nullptr && !parameter->words().isEmpty();
    values.line->setVisible(parameter != nullptr && !isList);
    values.list->setVisible(isList);
}

void SweepControls::offer(const Values &values, int parameter)
{
    const SweepParameter &chosen = sweepParameters()[static_cast<std::size_t>(parameter)];
    const QString offered = offeredValues(chosen, m_document->experiment());
    values.line->setToolTip(
        plainTip(chosen.isShape    ? Words::tr("Pipeline x tensor x data, or pipeline x tensor x context x data, separated "
                                                  "by spaces; the sequences of a step stay as they are")
                 : chosen.isWord() ? Words::tr("Separated by spaces: %1").arg(chosen.words().join(u", "_s))
                                   : Words::tr("Whole numbers, separated by spaces; 32k is 32,000 and 32Ki is 32,768")));
    QStringList captions;
    for (qsizetype i = 0; i < chosen.words().size(); ++i)
        captions << chosen.text(static_cast<int>(i));
    values.list->setChoices(chosen.words(), captions);
    values.line->setText(offered);
    values.list->setTicked(offered.split(u", "_s)); // also if the line had the same text
    values.line->setCursorPosition(0);
    const QFontMetrics metrics = values.line->fontMetrics();
    values.line->setMinimumWidth(
        std::max(metrics.averageCharWidth() * kValuesLetters,
                 std::min(metrics.horizontalAdvance(offered), kWidestValues) + metrics.averageCharWidth() * 3));
    showFor(values, &chosen);
}

QWidget *SweepControls::makeMethods()
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
        connect(box, &QCheckBox::toggled, this, &SweepControls::edited);
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
    connect(m_start, &QPushButton::clicked, this, &SweepControls::startAsked);
    connect(m_cancel, &QPushButton::clicked, this, &SweepControls::cancelAsked);
    return row;
}

base::Result<SweepSetup> SweepControls::setup() const
{
    SweepSetup setup;
    setup.first.parameter = static_cast<std::size_t>(m_first->currentIndex());
    auto values = parseSweepValues(sweepParameters()[setup.first.parameter], m_firstValues.line->text());
    if (!values)
        return std::move(values).error();
    setup.first.values = *std::move(values);
    if (m_second->currentIndex() > 0) {
        const auto second = static_cast<std::size_t>(m_second->currentIndex() - 1);
        auto others = parseSweepValues(sweepParameters()[second], m_secondValues.line->text());
        if (!others)
            return std::move(others).error();
        setup.second = SweepAxis{second, *std::move(others)};
    }
    for (std::size_t i = 0; i < m_methods.size(); ++i)
        if (m_methods[i]->isChecked())
            setup.methods.push_back(static_cast<model::VocabularyMethod>(i));
    if (const QString obstacle = sweepObstacle(m_document->experiment(), setup); !obstacle.isEmpty())
        return base::Error::invalid("sweep", utf8(obstacle));
    return setup;
}

bool SweepControls::trains() const
{
    return m_how->currentIndex() == kTrain;
}

const SweepMetric &SweepControls::metric() const
{
    return sweepMetrics()[static_cast<std::size_t>(m_metric->currentIndex())];
}

void SweepControls::setActivity(Activity activity, bool canStart)
{
    m_start->setEnabled(canStart);
    m_start->setVisible(activity == Activity::Idle);
    m_cancel->setVisible(activity == Activity::Running);
    m_progress->setVisible(activity == Activity::Running);
    m_amount->setVisible(activity != Activity::Running);
}

void SweepControls::setAmount(const QString &words)
{
    m_amount->setText(words);
}

void SweepControls::beginProgress(std::size_t plans)
{
    m_progress->setRange(0, static_cast<int>(plans));
    m_progress->setValue(0);
}

void SweepControls::showProgress(const service::SweepSnapshot &snapshot)
{
    m_progress->setValue(static_cast<int>(snapshot.done));
    m_progress->setFormat(Words::tr("%1 of %2").arg(snapshot.done).arg(snapshot.points.size()) +
                          (snapshot.secondsLeft ? Words::tr(", %1 left").arg(secondsText(*snapshot.secondsLeft)) : QString()));
}

void SweepControls::showStopping()
{
    m_progress->setFormat(Words::tr("stopping"));
}

} // namespace stagelens::ui
