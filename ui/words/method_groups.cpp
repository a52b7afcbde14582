#include "ui/words/method_groups.h"

#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "ui/words/words.h"

#include <QCoreApplication>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString groupWord(const char *word)
{
    return QCoreApplication::translate("MethodPicker", word);
}

QString familyGroup(const std::string &name)
{
    const schedule::Family *family = schedule::findFamily(name);
    if (family == nullptr)
        return groupWord("Your own");
    if (!family->synchronous)
        return groupWord("Asynchronous");
    if (family->directions > 1)
        return groupWord("Bidirectional");
    if (name.ends_with("-v") || name.starts_with("v-") || name == "hanayo")
        return groupWord("V: a device has the first and the last stages");
    if (name.starts_with("interleaved") || name == "breadth-first")
        return groupWord("Interleaved: a device has several chunks");
    if (family->splitsBackward)
        return groupWord("Zero bubble: the backward is split");
    return groupWord("Classic");
}

} // namespace

QString methodGroup(const QString &field, const QString &choice)
{
    if (field == u"schedule.family"_s)
        return familyGroup(utf8(choice));
    const auto method = model::parse<model::VocabularyMethod>(utf8(choice));
    return method && model::traits(*method).isSharded ? groupWord("Split over all devices") : groupWord("Whole layers");
}

} // namespace stagelens::ui
