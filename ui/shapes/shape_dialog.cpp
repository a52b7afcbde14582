#include "ui/shapes/shape_dialog.h"

#include "engine/model/presets.h"
#include "ui/canvas/design.h"
#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/controls/flow_layout.h"
#include "ui/controls/number_box.h"
#include "ui/shapes/training_fields.h"
#include "ui/state/fields.h"
#include "ui/state/latest_job.h"
#include "ui/words/comparison.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kShapesSize{1240, 640};
constexpr int kShapesProgressMilliseconds = 100;
constexpr int kWholeBar = 1000;
constexpr int kMostGpus = 1 << 17;
constexpr int kMostSequences = 1 << 24;
constexpr int kMostTokens = 1 << 24; ///< of a sequence
constexpr int kQuestionGap = 4 * kGrid;
constexpr std::size_t kMostFront = 20;

/// Fills in what the plan has, unless another number than the one offered before was typed.
void offer(NumberBox &box, std::int64_t value, int &offered)
{
    const int fitting = static_cast<int>(std::min<std::int64_t>(value, box.maximum()));
    if (box.value() == offered)
        box.setValue(fitting);
    offered = fitting;
}

/// What a search depends on: the plan without what a row of the table changes, with sequences of that length.
model::Experiment questionOf(const model::Experiment &plan, int sequence)
{
    model::Experiment question = plan;
    if (plan.model.sequence != sequence)
        field(u"model.sequence"_s).setValue(question, QString::number(sequence));
    question.schedule = {};
    question.schedule.memoryLimit = plan.schedule.memoryLimit;
    question.schedule.attention = plan.schedule.attention;
    question.parallel = {};
    question.parallel.contextMethod = plan.parallel.contextMethod;
    question.parallel.rankOrder = plan.parallel.rankOrder;
    return question;
}

} // namespace

/// Written by the engine's thread and read by a timer.
struct ShapeDialog::Progress {
    std::atomic<double> share = 0; ///< of the search
    std::atomic<base::Nanos> shortest = 0;
};

ShapeDialog::ShapeDialog(EngineBridge *bridge, QWidget *parent)
    : QDialog(parent), m_bridge(bridge), m_job(new LatestJob(bridge, this)), m_gpus(new NumberBox(this)),
      m_batch(new NumberBox(this)), m_sequence(new NumberBox(this)), m_training(new TrainingFields(this)),
      m_heading(plainLabel(this)), m_table(new ShapeTable(this)),
      m_onlyFitting(new QCheckBox(Words::tr("Only what fits"), this)),
      m_onlyFront(new QCheckBox(Words::tr("Only the Pareto front"), this)), m_bar(new QProgressBar(this)),
      m_cancel(new QPushButton(Words::tr("Cancel"), this))
{
    setObjectName(u"shapes"_s);
    setWindowTitle(Words::tr("Shapes that fit"));
    m_heading->setObjectName(u"shapes.heading"_s);
    m_heading->setWordWrap(true);
    m_bar->setObjectName(u"shapes.progress"_s);
    m_bar->setAccessibleName(Words::tr("Predictions"));
    m_cancel->setObjectName(u"shapes.cancel"_s);
    m_cancel->setAutoDefault(false);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(makeQuestion());
    auto *answer = new QHBoxLayout;
    answer->addWidget(m_heading, 1);
    answer->addWidget(m_bar);
    answer->addWidget(m_cancel);
    layout->addLayout(answer);
    layout->addWidget(makeFilters());
    layout->addWidget(m_table, 1);
    layout->addWidget(makeButtons());
    resizeWithinScreen(*this, kShapesSize);
    connect(m_table, &ShapeTable::chosen, this, &ShapeDialog::apply);
    connect(m_table, &QTreeWidget::itemSelectionChanged, this, &ShapeDialog::followSelection);
    connect(m_cancel, &QPushButton::clicked, this, &ShapeDialog::cancel);
    m_clock.setInterval(kShapesProgressMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &ShapeDialog::showProgress);
    fillDegrees();
    showProgress();
    followSelection();
}

void ShapeDialog::showEvent(QShowEvent *event)
{
    QDialog::showEvent(event);
    offerPlan();
    setPlan(m_plan);
    m_gpus->setFocus(Qt::PopupFocusReason);
    m_gpus->selectAll(); // what is typed replaces it
}

QWidget *ShapeDialog::makeQuestion()
{
    auto *row = new QWidget(this);
    auto *layout = new FlowLayout(row, kQuestionGap, kGrid);
    layout->setContentsMargins({});
    const auto add = [&](const QString &caption, NumberBox *field, int most, const QString &name) {
        field->setObjectName(name);
        field->setRange(1, most);
        layout->addWidget(captioned(caption, field));
    };
    add(Words::tr("GPUs"), m_gpus, kMostGpus, u"shapes.gpus"_s);
    add(Words::tr("Sequences of a step"), m_batch, kMostSequences, u"shapes.batch"_s);
    add(Words::tr("Sequence length"), m_sequence, kMostTokens, u"shapes.sequence"_s);
    layout->addWidget(m_training);
    m_search = new QPushButton(Words::tr("Search"), row);
    m_search->setObjectName(u"shapes.search"_s);
    m_search->setDefault(true);
    layout->addWidget(m_search);
    connect(m_search, &QPushButton::clicked, this, &ShapeDialog::search);
    connect(m_training, &TrainingFields::changed, this, &ShapeDialog::showCosts);
    return row;
}

QWidget *ShapeDialog::makeFilters()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    const std::array captions{Words::tr("Pipeline"), Words::tr("Tensor"), Words::tr("Context"), Words::tr("Data")};
    const std::array names{u"shapes.pipeline"_s, u"shapes.tensor"_s, u"shapes.context"_s, u"shapes.data"_s};
    for (std::size_t axis = 0; axis < m_degrees.size(); ++axis) {
        auto *box = new QComboBox(row);
        box->setObjectName(names[axis]);
        box->setAccessibleName(captions[axis]);
        auto *label = plainLabel(captions[axis], row);
        label->setBuddy(box);
        layout->addWidget(label);
        layout->addWidget(box);
        layout->addSpacing(8);
        m_degrees[axis] = box;
        connect(box, &QComboBox::currentIndexChanged, this, &ShapeDialog::filter);
    }
    m_onlyFitting->setObjectName(u"shapes.fitting"_s);
    m_onlyFitting->setChecked(true);
    connect(m_onlyFitting, &QCheckBox::clicked, this, [this] { m_restoresFilter = false; }); // a person decided
    m_onlyFront->setObjectName(u"shapes.front"_s);
    for (QCheckBox *box : {m_onlyFitting, m_onlyFront}) {
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &ShapeDialog::filter);
    }
    layout->addStretch();
    return row;
}

QWidget *ShapeDialog::makeButtons()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *buttons = dialogButtons(QDialogButtonBox::Close, row);
    m_apply = buttons->addButton(Words::tr("Use this plan"), QDialogButtonBox::ActionRole);
    m_apply->setObjectName(u"shapes.apply"_s);
    m_compare = buttons->addButton(Words::tr("Compare"), QDialogButtonBox::ActionRole);
    m_compare->setObjectName(u"shapes.compare"_s);
    m_compare->setToolTip(plainTip(Words::tr("Two to six rows on one time axis; Ctrl and Shift select several")));
    m_ways = buttons->addButton(Words::tr("Pipeline, tensor or FSDP?"), QDialogButtonBox::ActionRole);
    m_ways->setObjectName(u"shapes.ways"_s);
    m_ways->setToolTip(
        plainTip(Words::tr("Compares the best plans of mostly pipeline, mostly tensor, mostly context and mostly data ranks "
                           "(DDP or FSDP)")));
    for (QPushButton *button : {m_apply, m_compare, m_ways, buttons->button(QDialogButtonBox::Close)})
        button->setAutoDefault(false);
    layout->addWidget(buttons);
    connect(m_apply, &QPushButton::clicked, this, [this] {
        if (const auto rows = m_table->selectedRows(); rows.size() == 1) {
            apply(model::Experiment(rows.front()->experiment));
            close(); // the window shows it
        }
    });
    connect(m_compare, &QPushButton::clicked, this, [this] {
        std::vector<std::pair<QString, model::Experiment>> plans;
        for (const ShapeRow *each : m_table->selectedRows())
            plans.emplace_back(shapeText(each->experiment.parallel), each->experiment);
        compare(plans);
    });
    connect(m_ways, &QPushButton::clicked, this, [this] { compare(leadingWays(m_table->rows())); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return row;
}

bool ShapeDialog::isComputing() const
{
    return m_job->isRunning();
}

void ShapeDialog::setPlan(const service::PredictionPtr &plan)
{
    m_plan = plan;
    m_training->setHardware(plan ? plan->hardware : nullptr);
    if (!isVisible())
        return; // showEvent() does it
    const bool isPossible =
        plan && plan->experiment.hasModel && std::holds_alternative<model::HardwarePreset>(plan->experiment.cost.source);
    m_search->setEnabled(isPossible);
    if (!isPossible) {
        cancel();
        m_heading->setText(Words::tr("Shapes need a model and hardware: choose them in the strip above the picture."));
        return;
    }
    m_table->markPlan(plan->experiment);
    offer(*m_sequence, plan->experiment.model.sequence, m_offeredSequence);
    if (m_hasSearched && question().plan == m_asked.plan)
        return;
    search();
}

void ShapeDialog::offerPlan()
{
    if (!m_plan)
        return;
    const model::ParallelPlan &parallel = m_plan->experiment.parallel;
    const std::pair before(m_gpus->value(), m_batch->value());
    offer(*m_gpus, parallel.ranks(parallel.devices), m_offeredGpus);
    offer(*m_batch, parallel.stepMicrobatches() * parallel.microbatchSize, m_offeredBatch);
    if (std::pair(m_gpus->value(), m_batch->value()) != before)
        m_hasSearched = false;
}

void ShapeDialog::hideEvent(QHideEvent *event)
{
    QDialog::hideEvent(event);
    if (!event->spontaneous() && isComputing()) { // not if the window is minimised: the search continues
        cancel();
        m_hasSearched = false;
    }
}

service::PlanQuery ShapeDialog::query() const
{
    service::PlanQuery query;
    query.experiment = questionOf(m_plan->experiment, m_sequence->value());
    query.gpus = m_gpus->value();
    query.globalBatch = m_batch->value();
    query.mayFitNothing = true;
    return query;
}

ShapeDialog::Question ShapeDialog::question() const
{
    Question question{questionOf(m_plan->experiment, m_sequence->value()), m_gpus->value(), m_batch->value()};
    question.plan.training = {}; // changes no prediction
    return question;
}

void ShapeDialog::search()
{
    if (!m_plan)
        return;
    m_asked = question();
    m_hasSearched = true;
    m_table->setEnabled(false); // the rows are of another question
    followSelection();
    m_heading->setText(Words::tr("Searching…"));
    m_progress = std::make_shared<Progress>();
    m_job->start(
        [query = query(), progress = m_progress](const std::stop_token &stop) {
            return service::searchPlan(query, kMostFront, {stop, [progress](const service::SearchProgress &now) {
                                                               progress->share = static_cast<double>(now.done) /
                                                                                 static_cast<double>(now.total);
                                                               progress->shortest = now.shortest.value_or(0);
                                                           }});
        },
        [this](const base::Result<service::PlanAnswer> &answer) { take(answer); });
    m_clock.start();
    showProgress();
}

void ShapeDialog::cancel()
{
    const bool wasRunning = m_job->isRunning();
    m_job->cancel();
    m_clock.stop();
    showProgress();
    if (!wasRunning)
        return;
    const bool isAnswered = !m_answer.isEmpty() && m_plan && m_answered == question();
    m_table->setEnabled(isAnswered); // the same question once more: its rows are as good as before
    m_heading->setText(isAnswered ? m_answer : Words::tr("Cancelled. Search starts it again."));
    followSelection();
}

void ShapeDialog::take(const base::Result<service::PlanAnswer> &answer)
{
    m_clock.stop();
    showProgress();
    m_table->setEnabled(true);
    m_answer.clear();
    if (!answer) {
        m_table->setRows({}, {});
        m_heading->setText(sentence(answer.error()));
        return;
    }
    std::vector<ShapeRow> rows = shapeRows(*answer);
    const auto fitting = std::ranges::count_if(rows, &ShapeRow::fits);
    QString heading = Words::tr("%1 GPUs, %2, %3 sequences of %4 tokens a step")
                          .arg(countText(m_asked.gpus), modelName(m_asked.plan.model), countText(m_asked.batch),
                               countText(m_asked.plan.model.sequence));
    if (answer->limit)
        heading += Words::tr(", at most %1 a rank").arg(bytesText(*answer->limit));
    heading += u": "_s + (fitting > 0 ? Words::tr("%1 plans fit.").arg(fitting)
                                      : Words::tr("nothing fits. The rows say what each shape needs."));
    m_heading->setText(heading);
    m_heading->setToolTip(plainTip(leftOutText(*answer)));
    m_answer = heading;
    m_answered = m_asked;
    // A filter that would hide every row is switched off, and on again as soon as some plan fits.
    if (fitting == 0 && m_onlyFitting->isChecked()) {
        m_onlyFitting->setChecked(false);
        m_restoresFilter = true;
    } else if (fitting > 0 && std::exchange(m_restoresFilter, false)) {
        m_onlyFitting->setChecked(true);
    }
    m_table->setRows(std::move(rows), {answer->limit, std::nullopt, 0, {}});
    fillDegrees();
    showCosts();
    filter();
    if (m_plan)
        m_table->markPlan(m_plan->experiment);
    followSelection();
}

void ShapeDialog::fillDegrees()
{
    for (std::size_t axis = 0; axis < m_degrees.size(); ++axis) {
        std::set<int> degrees;
        for (const ShapeRow &row : m_table->rows()) {
            const model::ParallelPlan &plan = row.experiment.parallel;
            degrees.insert(std::array{plan.devices, plan.tensor, plan.context, plan.replicas}[axis]);
        }
        const QSignalBlocker blocker(m_degrees[axis]);
        const int before = m_degrees[axis]->currentData().toInt();
        m_degrees[axis]->clear();
        m_degrees[axis]->addItem(Words::tr("any"), 0);
        for (const int degree : degrees)
            m_degrees[axis]->addItem(countText(degree), degree);
        m_degrees[axis]->setCurrentIndex(std::max(m_degrees[axis]->findData(before), 0));
    }
}

void ShapeDialog::filter()
{
    ShapeTable::Filter filter;
    for (std::size_t axis = 0; axis < m_degrees.size(); ++axis)
        filter.degrees[axis] = m_degrees[axis]->currentData().toInt();
    filter.onlyFitting = m_onlyFitting->isChecked();
    filter.onlyFront = m_onlyFront->isChecked();
    m_table->setFilter(filter);
}

void ShapeDialog::showCosts()
{
    m_table->setTraining(m_training->tokens(), m_training->price(), m_training->currency());
}

void ShapeDialog::showProgress()
{
    const bool isRunning = m_job->isRunning();
    m_bar->setVisible(isRunning);
    m_cancel->setVisible(isRunning);
    if (!isRunning)
        return;
    const int done = static_cast<int>(m_progress->share * kWholeBar);
    m_bar->setMaximum(done > 0 ? kWholeBar : 0); // moves while nothing is known
    m_bar->setValue(done);
    if (const base::Nanos shortest = m_progress->shortest; shortest > 0)
        m_heading->setText(Words::tr("Searching… The fastest plan so far takes %1.").arg(durationText(shortest)));
}

void ShapeDialog::followSelection()
{
    const std::size_t count = m_table->selectedRows().size();
    m_apply->setEnabled(count == 1 && m_table->isEnabled());
    m_compare->setEnabled(m_table->isEnabled() && count >= kFewestCompared && count <= kMostCompared);
    m_ways->setEnabled(m_table->isEnabled() && leadingWays(m_table->rows()).size() >= kFewestCompared);
}

void ShapeDialog::apply(const model::Experiment &plan)
{
    emit applied(Words::tr("Shape: ") + shapeText(plan.parallel), plan);
    m_heading->setText(
        Words::tr("The window now shows %1: %2. Ctrl+Z takes it back.").arg(shapeText(plan.parallel), methodsText(plan)));
}

void ShapeDialog::compare(const std::vector<std::pair<QString, model::Experiment>> &plans)
{
    emit compareAsked(plans);
    close(); // the window shows them
}

} // namespace stagelens::ui
