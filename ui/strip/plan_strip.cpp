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

/// The preset's name, also if only its vocabulary or sequence is another one.
QString modelName(const model::ModelConfig &model)
{
    static const auto presets = model::modelPresets();
    for (const model::ModelPreset &preset : presets.ok() ? *presets : std::vector<model::ModelPreset>()) {
        model::ModelConfig same = preset.model;
        same.vocabularySize = model.vocabularySize;
        same.sequence = model.sequence;
        same.preset = model.preset;
        if (same == model)
            return modelCaption(preset.model.preset);
    }
    return modelCaption(model.preset);
}

} // namespace

PlanStrip::PlanStrip(ExperimentDocument *document, const Actions &actions, QWidget *parent)
    : QWidget(parent), m_document(document), m_settingsAction(actions.settings), m_training(new QStackedWidget(this)),
      m_sheet(new RunSheet(document, actions.train, actions.trainCopy, actions.stop, this))
{
    setAccessibleName(Words::tr("Plan"));
    m_model = addChip(u"model"_s, Words::tr("Model"), u"model.preset"_s, 96, 288);
    m_hardware = addChip(u"hardware"_s, Words::tr("Hardware"), u"cost.hardware"_s, 92, 204);
    m_microbatches = addChip(u"microbatches"_s, Words::tr("Microbatches"), {}, 84, 132);
    m_schedule = addChip(u"schedule"_s, Words::tr("Schedule"), u"schedule.family"_s, 80, 168);
    m_vocabulary = addChip(u"vocabulary"_s, Words::tr("Vocabulary layers"), u"schedule.vocabulary"_s, 84, 232);
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
    m_slots.push_back({m_settings, 72, 120});
    m_training->addWidget(makeTrainButton(actions));
    m_training->addWidget(makeProgress(actions));
    m_slots.push_back({m_training, 112, 240});
    connect(m_document, &ExperimentDocument::changed, this, &PlanStrip::refresh);
    setProblems({});
    refresh();
}

PlanChip *PlanStrip::addChip(const QString &name, const QString &caption, const QString &picker, int narrow, int wide)
{
    auto *chip = new PlanChip(caption, !picker.isEmpty(), this);
    chip->setObjectName(u"strip.chip."_s + name);
    m_slots.push_back({chip, narrow, wide});
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
    button->setDefaultAction(actions.train);
    connect(actions.trainCopy, &QAction::enabledChanged, button, [button, actions](bool on) {
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
    m_progress->setWordWrap(true);
    m_progress->setMinimumWidth(0);
    m_progress->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    auto *stop = new StripButton(StripButton::Tone::Filled, page);
    stop->setGlyph(Glyph::Stop);
    stop->setObjectName(u"strip.stop"_s);
    stop->setDefaultAction(actions.stop);
    stop->setFixedSize(80, kChipHeight);
    row->addWidget(m_progress, 1);
    row->addWidget(stop);
    return page;
}

void PlanStrip::refresh()
{
    const model::Experiment &plan = m_document->experiment();
    if (plan.hasModel) {
        const QString name = modelName(plan.model);
        m_model->setWords({Words::tr("%1 · vocabulary ").arg(name), Words::tr("%1 · ").arg(name), {}, true});
    } else {
        m_model->setWords({Words::tr("None (teaching units)"), Words::tr("None"), {}, false});
    }
    showHardware(plan);
    m_microbatches->setWords({{}, {}, {}, true});
    const auto named = [](PlanChip *chip, const QString &name) { chip->setWords({name, name, {}, false}); };
    named(m_schedule, familyCaption(plan.schedule.family));
    named(m_vocabulary, capital(caption(plan.schedule.vocabulary)));
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
        m_hardware->setWords({{}, {}, u" × "_s + hardware, true});
        return;
    }
    QString degrees;
    for (const auto &[letter, degree] :
         {std::pair{u't', parallel.tensor}, std::pair{u'c', parallel.context}, std::pair{u'd', parallel.replicas}})
        degrees += degree > 1 ? u" · %1 %2"_s.arg(QChar(letter)).arg(degree) : QString();
    const QString whole = countText(static_cast<double>(ranks)) + u" × "_s + hardware;
    m_hardware->setCaption(whole, Words::tr("%1: %2").arg(whole, shapeText(parallel)));
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

void PlanStrip::setProgress(const QString &text)
{
    m_training->setCurrentIndex(text.isEmpty() ? 0 : 1);
    QString words = text;
    // The step has a line of its own: what follows it changes its length.
    if (const qsizetype first = words.indexOf(u" · "_s); first > 0)
        words.replace(first, 3, u"\n"_s);
    m_progress->setText(words);
    m_progress->setAccessibleName(text);
    m_progress->setToolTip(plainTip(text));
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
    m_settings->setProperty("problem", !problems.empty());
    m_settings->setToolTip(
        plainTip(problems.empty() ? Words::tr("Every field of the experiment (Ctrl+E)") : sentence(problems.front())));
}

QSize PlanStrip::sizeHint() const
{
    int width = 2 * kSide - kWideGap;
    for (const Slot &each : m_slots)
        width += each.wide + kWideGap;
    return {width, kChipHeight + 2 * kAround};
}

QSize PlanStrip::minimumSizeHint() const
{
    int width = 2 * kSide - kNarrowGap;
    for (const Slot &each : m_slots)
        width += each.narrow + kNarrowGap;
    return {width, kChipHeight + 2 * kAround};
}

void PlanStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const int least = minimumSizeHint().width();
    const int most = sizeHint().width();
    const double share = std::clamp(static_cast<double>(width() - least) / (most - least), 0.0, 1.0);
    const auto between = [share](int narrow, int wide) { return narrow + static_cast<int>(share * (wide - narrow)); };
    const int gap = between(kNarrowGap, kWideGap);
    int left = kSide;
    int right = width() - kSide;
    for (const Slot &each : m_slots)
        if (each.widget != m_settings && each.widget != m_training) {
            each.widget->setGeometry(left, kAround, between(each.narrow, each.wide), kChipHeight);
            left = each.widget->geometry().right() + 1 + gap;
        }
    for (auto each = m_slots.rbegin(); each != m_slots.rbegin() + 2; ++each) {
        const int wide = between(each->narrow, each->wide);
        each->widget->setGeometry(right - wide, kAround, wide, kChipHeight);
        right -= wide + gap;
    }
}

} // namespace stagelens::ui
