#include "ui/controllers/field_controller.h"

#include "engine/model/names.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/field_editor.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/forecast.h"
#include "ui/words/train_words.h"
#include "ui/words/words.h"

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

FieldController::FieldController(EngineBridge *bridge, Forecast *forecast, ExplorePage *page,
                                 std::vector<FieldEditor *> editors)
    : m_bridge(bridge), m_forecast(forecast), m_page(page), m_editors(std::move(editors))
{
    for (const auto changedBy : {&Forecast::changed, &Forecast::adviceChanged, &Forecast::familiesChanged})
        connect(m_forecast, changedBy, this, &FieldController::refresh);
    for (FieldEditor *editor : m_editors)
        connectEditor(editor);
}

void FieldController::connectEditor(FieldEditor *editor)
{
    const QString &id = editor->field().id;
    if (id == u"schedule.vocabulary"_s) {
        connect(editor, &FieldEditor::choiceHovered, this, [this](const QString &value) {
            m_page->setGhost(value.isEmpty() ? std::nullopt : model::parse<model::VocabularyMethod>(utf8(value)));
        });
    } else if (id == u"training.backend"_s) {
        connect(m_bridge, &EngineBridge::backendsFound, editor, [editor](const std::vector<service::BackendInfo> &backends) {
            for (const service::BackendInfo &backend : backends)
                editor->setDetail(qtText(backend.name), backendWords(backend));
        });
    } else if (id == u"schedule.family"_s) {
        connect(editor, &FieldEditor::choiceHovered, m_page, &ExplorePage::setGhostFamily);
        connect(editor, &FieldEditor::chosen, this, [this](const QString &family) {
            if (utf8(family) == model::kCustomFamily)
                emit customOrderChosen();
        });
    }
}

void FieldController::refresh()
{
    const service::Advice *advice = m_forecast->advice();
    const auto detail = [](const auto &option) {
        QString text = option.iteration ? durationText(*option.iteration) : u"not possible here"_s;
        if (option.iteration && option.peakMemory)
            text += u" · "_s + bytesText(*option.peakMemory);
        return text;
    };
    for (FieldEditor *editor : m_editors) {
        if (editor->field().id == u"schedule.vocabulary"_s) {
            editor->clearDetails(); // figures of another plan would be wrong
            for (const service::Advice::Option &option : advice ? advice->options : std::vector<service::Advice::Option>())
                editor->setDetail(qtText(model::name(option.method)), detail(option));
        } else if (editor->field().id == u"schedule.family"_s) {
            editor->clearDetails();
            for (const FamilyOption &option : m_forecast->familyOptions().options)
                editor->setDetail(qtText(option.family), detail(option));
        }
    }
}

} // namespace stagelens::ui
