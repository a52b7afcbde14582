#include "ui/controllers/field_controller.h"

#include "engine/model/names.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/field_editor.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/forecast.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/plan_strip.h"
#include "ui/words/train_words.h"
#include "ui/words/words.h"

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

FieldController::FieldController(EngineBridge *bridge, Forecast *forecast, ExplorePage *page,
                                 std::vector<FieldEditor *> editors, PlanStrip *strip)
    : m_bridge(bridge), m_forecast(forecast), m_page(page),
      m_editors(std::move(editors)), m_menus{strip->menu(u"schedule.family"_s), strip->menu(u"schedule.vocabulary"_s)}
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
    for (ChoiceMenu *menu : m_menus)
        connectChoices(menu);
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

template <class Target>
void FieldController::showDetails(Target *target)
{
    const service::Advice *advice = m_forecast->advice();
    const auto detail = [](const auto &option) {
        QString text = option.iteration ? durationText(*option.iteration) : u"not possible here"_s;
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

void FieldController::refresh()
{
    for (FieldEditor *editor : m_editors)
        showDetails(editor);
    for (ChoiceMenu *menu : m_menus)
        showDetails(menu);
}

} // namespace stagelens::ui
