#include "ui/controllers/field_controller.h"

#include "engine/model/names.h"
#include "engine/service/machine/backends.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/field_editor.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/forecast.h"
#include "ui/strip/method_picker.h"
#include "ui/strip/plan_strip.h"
#include "ui/words/tr.h"
#include "ui/words/train_words.h"
#include "ui/words/words.h"

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

FieldController::FieldController(EngineBridge *bridge, Forecast *forecast, ExplorePage *page,
                                 std::vector<FieldEditor *> editors, PlanStrip *strip)
    : m_bridge(bridge), m_forecast(forecast), m_page(page),
      m_editors(std::move(editors)), m_pickers{strip->methods(u"schedule.family"_s), strip->methods(u"schedule.vocabulary"_s)}
{
    for (const auto changedBy : {&Forecast::changed, &Forecast::adviceChanged, &Forecast::familiesChanged})
        connect(m_forecast, changedBy, this, &FieldController::refresh);
    for (FieldEditor *editor : m_editors) {
        connectChoices(editor);
        if (editor->field().id != u"training.backend"_s)
            continue;
        connect(m_bridge, &EngineBridge::backendsFound, editor, [editor](const std::vector<service::BackendInfo> &backends) {
            for (const service::BackendInfo &backend : backends)
                editor->setDetail(qtText(backend.name), backendWords(backend));
        });
    }
    for (MethodPicker *picker : m_pickers)
        connectChoices(picker);
}

template <class Source>
void FieldController::connectChoices(Source *source)
{
    const QString &id = source->field().id;
    if (id == u"schedule.vocabulary"_s) {
        connect(source, &Source::choiceHovered, this, [this](const QString &value) {
            m_page->setGhost(value.isEmpty() ? std::nullopt : model::parse<model::VocabularyMethod>(utf8(value)));
        });
    } else if (id == u"schedule.family"_s) {
        connect(source, &Source::choiceHovered, m_page, &ExplorePage::setGhostFamily);
        connect(source, &Source::chosen, this, [this](const QString &family) {
            if (utf8(family) == model::kCustomFamily)
                emit customOrderChosen();
        });
    }
}

void FieldController::showDetails(FieldEditor *target)
{
    const service::Advice *advice = m_forecast->advice();
    const auto detail = [](const auto &option) {
        QString text = option.iteration ? durationText(*option.iteration) : Words::tr("not possible here");
        if (option.iteration && option.peakMemory)
            text += u" · "_s + bytesText(*option.peakMemory);
        return text;
    };
    if (target->field().id == u"schedule.vocabulary"_s) {
        target->clearDetails(); // figures of another plan would be wrong
        for (const service::Advice::Option &option : advice ? advice->options : std::vector<service::Advice::Option>())
            target->setDetail(qtText(model::name(option.method)), detail(option));
    } else if (target->field().id == u"schedule.family"_s) {
        target->clearDetails();
        for (const FamilyOption &option : m_forecast->familyOptions().options)
            target->setDetail(qtText(option.family), detail(option));
    }
}

void FieldController::showFigures(MethodPicker *picker)
{
    picker->clearFigures(); // those of another plan would be wrong
    if (!m_forecast->isCurrent())
        return;
    const service::PredictionPtr &plan = m_forecast->plan();
    const std::vector<base::Bytes> &peaks = plan->metrics.peakMemory;
    const auto most = std::ranges::max_element(peaks);
    const MethodPicker::Figures now{plan->metrics.iteration,
                                    most == peaks.end() ? std::nullopt : std::optional<base::Bytes>(*most)};
    picker->setPlan(now, plan->memoryCapacity);
    if (picker->field().id == u"schedule.vocabulary"_s) {
        picker->setFigures(qtText(model::name(plan->experiment.schedule.vocabulary)), now);
        if (const service::Advice *advice = m_forecast->advice())
            for (const service::Advice::Option &option : advice->options)
                picker->setFigures(qtText(model::name(option.method)), {option.iteration, option.peakMemory});
    } else {
        picker->setFigures(qtText(plan->experiment.schedule.family), now);
        for (const FamilyOption &option : m_forecast->familyOptions().options)
            picker->setFigures(qtText(option.family), {option.iteration, option.peakMemory});
    }
}

void FieldController::refresh()
{
    for (FieldEditor *editor : m_editors)
        showDetails(editor);
    for (MethodPicker *picker : m_pickers)
        showFigures(picker);
}

} // namespace stagelens::ui
