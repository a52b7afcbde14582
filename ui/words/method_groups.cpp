#include "ui/words/method_groups.h"

#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString familyGroup(const std::string &name)
{
    const schedule::Family *family = schedule::findFamily(name);
    if (family == nullptr)
        return Words::tr("Your own");
    if (!family->synchronous)
        return Words::tr("Asynchronous");
    if (family->directions > 1)
        return Words::tr("Bidirectional");
    if (name.ends_with("-v") || name.starts_with("v-") || name == "hanayo")
        return Words::tr("V: a device has the first and the last stages");
    if (name.starts_with("interleaved") || name == "breadth-first" || name == "gis")
        return Words::tr("Interleaved: a device has several chunks");
    if (model::cutsSequences(name))
        return Words::tr("Slices: a pass has a part of each sequence");
    if (family->splitsBackward)
        return Words::tr("Zero bubble: the backward is split");
    return Words::tr("Classic");
}

} // namespace

QString methodGroup(const QString &field, const QString &choice)
{
    if (field == u"schedule.family"_s)
        return familyGroup(utf8(choice));
    const auto method = model::parse<model::VocabularyMethod>(utf8(choice));
    return method && model::traits(*method).isSharded ? Words::tr("Split over all devices") : Words::tr("Whole layers");
}

} // namespace stagelens::ui
