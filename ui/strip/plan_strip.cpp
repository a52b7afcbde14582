#include "ui/strip/plan_strip.h"

#include "engine/model/presets.h"
#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/controls/strip_button.h"
#include "ui/panels/field_editor.h"
#include "ui/state/experiment_document.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/method_picker.h"
#include "ui/strip/plan_chip.h"
#include "ui/strip/run_sheet.h"
#include "ui/words/plain_text.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QStackedWidget>

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kChipHeight = 44;
constexpr int kAround = 4;
constexpr int kSide = 8;
constexpr int kNarrowGap = 4;
constexpr int kWideGap = 8;
constexpr int kChevronWidth = 32;
constexpr int kStopWidth = 80;
constexpr int kNarrowStopWidth = 36; // its glyph alone
constexpr int kNarrowTraining = 180;

/// The first words of the fields that a chip owns, the longest match first.
constexpr std::array kOwners{
    std::pair{u"model.", 0},
    std::pair{u"parallel.microbatch", 2}, // their number and their size
    std::pair{u"parallel.", 1},
    std::pair{u"cost.", 1},
    std::pair{u"schedule.vocabulary", 4},
    std::pair{u"schedule.", 3},
};

QString capital(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// "A100" of "A100 80 GB"; "CPU" for this computer.
QString shortHardware(const model::Experiment &plan)
{
    static const QRegularExpression kMemory(u"[ \\x{a0}]\\d+[ \\x{a0}]GB$"_s);
    const auto *preset = std::get_if<model::HardwarePreset>(&plan.cost.source);
    return preset && preset->name == "cpu-local" ? u"CPU"_s : hardwareCaption(plan).remove(kMemory);
}

} // namespace

PlanStrip::PlanStrip(ExperimentDocument *document, const Actions &actions, QWidget *parent)
    : QWidget(parent), m_document(document), m_settingsAction(actions.settings), m_training(new QStackedWidget(this)),
      m_sheet(new RunSheet(document, actions.train, actions.trainCopy, actions.stop, this))
{
    setAccessibleName(Words::tr("Plan"));
    m_model = addChip(u"model"_s, Words::tr("Model"), u"model.preset"_s, {113, 176, 288});
    m_hardware = addChip(u"hardware"_s, Words::tr("Hardware"), u"cost.hardware"_s, {106, 106, 204});
    m_microbatches = addChip(u"microbatches"_s, Words::tr("Microbatches"), {}, {102, 102, 132});
    m_schedule = addChip(u"schedule"_s, Words::tr("Schedule"), u"schedule.family"_s, {80, 94, 168});
    m_vocabulary = addChip(u"vocabulary"_s, Words::tr("Vocabulary layers"), u"schedule.vocabulary"_s, {102, 108, 232});
    m_vocabulary->setCaption(Words::tr("Vocabulary layers"), {}, Words::tr("Vocabulary"));
    addNumber(m_model, u"model.vocabulary_size"_s);
    addNumber(m_hardware, u"parallel.devices"_s);
    addNumber(m_microbatches, u"parallel.microbatches"_s);
    m_settings = new StripButton(StripButton::Tone::Quiet, this);
    m_settings->setObjectName(u"strip.settings"_s);
    m_settings->setText(Words::tr("All settings"));
    connect(m_settings, &QToolButton::clicked, this, [this] {
        if (m_firstProblem.isEmpty())
            m_settingsAction->trigger();
        else
            emit fieldAsked(m_firstProblem);
    });
    m_slots.push_back({m_settings, {61, 70, 120}});
    m_training->addWidget(makeTrainButton(actions));
    m_training->addWidget(makeProgress(actions));
    m_slots.push_back({m_training, {79, 100, 240}});
    orderTabs();
    connect(m_document, &ExperimentDocument::changed, this, &PlanStrip::refresh);
    setProblems({});
    refresh();
}

void PlanStrip::orderTabs()
{
    QWidget *last = nullptr;
    const auto add = [&last](QWidget *next) {
        if (last != nullptr)
            setTabOrder(last, next);
        last = next;
    };
    for (PlanChip *chip : {m_model, m_hardware, m_microbatches, m_schedule, m_vocabulary}) {
        if (chip->focusPolicy() != Qt::NoFocus)
            add(chip);
        if (chip->number() != nullptr)
            add(chip->number()->control());
    }
    add(m_settings);
}

PlanChip *PlanStrip::addChip(const QString &name, const QString &caption, const QString &picker, const Widths &widths)
{
    auto *chip = new PlanChip(caption, !picker.isEmpty(), this);
    chip->setObjectName(u"strip.chip."_s + name);
    m_slots.push_back({chip, widths});
    connect(chip, &PlanChip::problemAsked, this, &PlanStrip::fieldAsked);
    if (picker.isEmpty())
        return chip;
    if (picker.startsWith(u"schedule."_s)) {
        auto *methods = new MethodPicker(ui::field(picker), m_document, this);
        m_methods.insert(picker, methods);
        connect(chip, &PlanChip::pickerAsked, methods, [chip, methods] { methods->openBelow(*chip); });
        return chip;
    }
    auto *menu = new ChoiceMenu(ui::field(picker), m_document, this);
    m_menus.insert(picker, menu);
    connect(chip, &PlanChip::pickerAsked, menu, [chip, menu] { menu->popup(chip->mapToGlobal(chip->rect().bottomLeft())); });
    return chip;
}

void PlanStrip::addNumber(PlanChip *chip, const QString &field)
{
    auto *number = new FieldEditor(ui::field(field), m_document, this, FieldEditor::Look::Chip);
    number->control()->setObjectName(u"strip."_s + field);
    chip->setNumber(number);
    m_editors.push_back(number);
}

std::vector<FieldEditor *> PlanStrip::editors() const
{
    std::vector<FieldEditor *> all = m_editors;
    all.insert(all.end(), m_sheet->editors().begin(), m_sheet->editors().end());
    return all;
}

QWidget *PlanStrip::makeTrainButton(const Actions &actions)
{
    auto *page = new QWidget(this);
    auto *row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto *button = new StripButton(StripButton::Tone::Filled, page);
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    button->setObjectName(u"strip.train"_s);
    button->setNarrowText(Words::tr("Train"));
    button->setDefaultAction(actions.train);
    // Not to the button: without the action it loses all connections from it.
    connect(actions.trainCopy, &QAction::enabledChanged, this, [button, actions](bool on) {
        button->removeAction(on ? actions.train : actions.trainCopy); // two actions would make it a menu
        button->setDefaultAction(on ? actions.trainCopy : actions.train);
    });
    auto *more = new StripButton(StripButton::Tone::Filled, page);
    more->setObjectName(u"strip.train.sheet"_s);
    more->setAccessibleName(Words::tr("Run settings"));
    more->setToolTip(plainTip(Words::tr("Steps, data, optimizer, and where the run takes place")));
    more->setChevron();
    more->setFixedSize(kChevronWidth, kChipHeight);
    connect(more, &QToolButton::clicked, this, [this, more] { m_sheet->openBelow(*more); });
    connect(m_sheet, &RunSheet::settingsAsked, this, [this] { emit fieldAsked(u"training.steps"_s); });
    row->addWidget(button, 1);
    row->addWidget(more);
    return page;
}

QWidget *PlanStrip::makeProgress(const Actions &actions)
{
    auto *page = new QWidget(this);
    auto *row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kNarrowGap);
    m_progress = plainLabel(page);
    m_progress->setObjectName(u"strip.progress"_s);
    m_progress->setFont(scaled(font(), TypeSize::Small));
    m_progress->setMinimumWidth(0);
    m_progress->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    m_stop = new StripButton(StripButton::Tone::Filled, page);
    m_stop->setGlyph(Glyph::Stop);
    m_stop->setObjectName(u"strip.stop"_s);
    m_stop->setDefaultAction(actions.stop);
    m_stop->setNarrowText(Words::tr("Stop"));
    m_stop->setFixedSize(kStopWidth, kChipHeight);
    row->addWidget(m_progress, 1);
    row->addWidget(m_stop);
    return page;
}

void PlanStrip::refresh()
{
    const model::Experiment &plan = m_document->experiment();
    if (plan.hasModel) {
        const QString name = modelName(plan.model);
        m_model->setWords({Words::tr("%1 · vocabulary ").arg(name), Words::tr("%1 · ").arg(name), {}, true, {}, name});
    } else {
        m_model->setWords({Words::tr("None (teaching units)"), Words::tr("None"), {}, false});
    }
    showHardware(plan);
    m_microbatches->setWords({{}, {}, {}, true});
    const QString family = familyCaption(plan.schedule.family);
    m_schedule->setWords({family, plan.schedule.family == model::kCustomFamily ? Words::tr("Custom") : family});
    m_vocabulary->setWords({capital(caption(plan.schedule.vocabulary)), capital(shortName(plan.schedule.vocabulary))});
    const Field &vocabulary = ui::field(u"schedule.vocabulary"_s);
    m_vocabulary->setEnabled(!vocabulary.applies || vocabulary.applies(plan));
}

/// "4 × A100 80 GB"; of several ranks a device "512 × H100 80 GB" above "p 4 · t 8 · c 2 · d 8".
void PlanStrip::showHardware(const model::Experiment &plan)
{
    const model::ParallelPlan &parallel = plan.parallel;
    const QString hardware = hardwareCaption(plan);
    const std::int64_t ranks = parallel.ranks(parallel.devices);
    if (ranks == parallel.devices) {
        m_hardware->setCaption(Words::tr("Hardware"));
        m_hardware->setWords({{}, {}, u" × "_s + hardware, true, u" × "_s + shortHardware(plan)});
        return;
    }
    QString degrees;
    for (const auto &[letter, degree] :
         {std::pair{u't', parallel.tensor}, std::pair{u'c', parallel.context}, std::pair{u'd', parallel.replicas}})
        degrees += degree > 1 ? u" · %1 %2"_s.arg(QChar(letter)).arg(degree) : QString();
    const QString whole = countText(static_cast<double>(ranks)) + u" × "_s + hardware;
    m_hardware->setCaption(whole, Words::tr("%1: %2").arg(whole, shapeText(parallel)),
                           countText(static_cast<double>(ranks)) + u" × "_s + shortHardware(plan));
    m_hardware->setWords({u"p "_s, u"p "_s, degrees, true});
}

void PlanStrip::addCommands(const QString &field, const QList<QAction *> &commands)
{
    for (QAction *command : commands)
        if (MethodPicker *picker = methods(field))
            picker->addCommand(command);
        else
            m_menus.value(field)->addExtra(command);
}

void PlanStrip::setProgress(const QString &text, const QString &narrowStep)
{
    m_training->setCurrentIndex(text.isEmpty() ? 0 : 1);
    // The step has a line of its own: what follows it changes its length.
    const qsizetype first = text.indexOf(u" · "_s);
    m_progressLines = first > 0 ? QStringList{text.first(first), text.sliced(first + 3)} : QStringList{text};
    m_narrowStep = narrowStep;
    placeProgress();
    m_progress->setAccessibleName(text);
    m_progress->setToolTip(plainTip(text));
}

void PlanStrip::placeProgress()
{
    const QFontMetrics metrics(m_progress->font());
    const int room = m_training->width() - m_stop->maximumWidth() - kNarrowGap; // of the label, even while its page is hidden
    QStringList shown = m_progressLines;
    if (!m_narrowStep.isEmpty() && metrics.horizontalAdvance(shown.value(0)) > room)
        shown.front() = m_narrowStep;
    for (QString &line : shown)
        line = metrics.elidedText(line, Qt::ElideRight, room);
    m_progress->setText(shown.join(u'\n'));
}

void PlanStrip::setProblems(const base::Problems &problems)
{
    const std::array chips{m_model, m_hardware, m_microbatches, m_schedule, m_vocabulary};
    std::array<const base::Problem *, chips.size()> worst{};
    for (const base::Problem &problem : problems) {
        const QString field = qtText(problem.field);
        const auto owner =
            std::ranges::find_if(kOwners, [&field](const auto &each) { return field.startsWith(QStringView(each.first)); });
        if (owner != kOwners.end() && worst[static_cast<std::size_t>(owner->second)] == nullptr)
            worst[static_cast<std::size_t>(owner->second)] = &problem;
    }
    for (std::size_t chip = 0; chip < chips.size(); ++chip)
        chips[chip]->setProblem(worst[chip] ? qtText(worst[chip]->field) : QString(),
                                worst[chip] ? sentence(*worst[chip]) : QString());
    m_firstProblem = problems.empty() ? QString() : qtText(problems.front().field);
    m_settings->setText(problems.empty() ? Words::tr("All settings")
                                         : Words::tr("All settings (%n)", nullptr, static_cast<int>(problems.size())));
    m_settings->setNarrowText(problems.empty() ? Words::tr("Settings") : Words::tr("Errors: %1").arg(problems.size()));
    m_settings->setProperty("problem", !problems.empty());
    m_settings->setToolTip(
        plainTip(problems.empty() ? Words::tr("Every field of the experiment (Ctrl+E)") : sentence(problems.front())));
}

int PlanStrip::widthWith(int Widths::*each, int gap) const
{
    int width = 2 * kSide - gap;
    for (const Slot &slot : m_slots)
        width += slot.widths.*each + gap;
    return width;
}

QSize PlanStrip::sizeHint() const
{
    return {widthWith(&Widths::wide, kWideGap), kChipHeight + 2 * kAround};
}

QSize PlanStrip::minimumSizeHint() const
{
    return {widthWith(&Widths::least, kNarrowGap), kChipHeight + 2 * kAround};
}

void PlanStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const int least = minimumSizeHint().width();
    const int narrow = widthWith(&Widths::narrow, kNarrowGap);
    const int most = sizeHint().width();
    const bool isNarrow = width() < narrow;
    const double share = isNarrow ? static_cast<double>(width() - least) / (narrow - least)
                                  : static_cast<double>(width() - narrow) / (most - narrow);
    const auto between = [share](int from, int to) {
        return from + static_cast<int>(std::clamp(share, 0.0, 1.0) * (to - from));
    };
    const int gap = isNarrow ? kNarrowGap : between(kNarrowGap, kWideGap);
    const auto widthOf = [&](const Widths &each) {
        return isNarrow ? between(each.least, each.narrow) : between(each.narrow, each.wide);
    };
    int left = kSide;
    int right = width() - kSide;
    for (const Slot &each : m_slots)
        if (each.widget != m_settings && each.widget != m_training) {
            each.widget->setGeometry(left, kAround, widthOf(each.widths), kChipHeight);
            left = each.widget->geometry().right() + 1 + gap;
        }
    for (auto each = m_slots.rbegin(); each != m_slots.rbegin() + 2; ++each) {
        const int wide = widthOf(each->widths);
        if (each->widget == m_training)
            m_stop->setFixedWidth(wide < kNarrowTraining ? kNarrowStopWidth : kStopWidth);
        each->widget->setGeometry(right - wide, kAround, wide, kChipHeight);
        right -= wide + gap;
    }
    placeProgress();
}

} // namespace stagelens::ui
