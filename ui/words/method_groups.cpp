#include "ui/words/method_groups.h"

#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// How the timeline of a family is read: its stages or chunks, and the order that the eye meets.
constexpr std::pair<std::string_view, const char *> kReadings[] = {
    {"gpipe", QT_TRANSLATE_NOOP("Words", "A device has one stage: all its F in a row, then all its B.")},
    {"1f1b", QT_TRANSLATE_NOOP("Words", "A device has one stage: F until the first gradient arrives, then B and F in turn.")},
    {"eager-1f1b",
     QT_TRANSLATE_NOOP("Words", "A device has one stage: as 1F1B, with about twice as many F before the first B.")},
    {"interleaved-1f1b",
     QT_TRANSLATE_NOOP(
         "Words", "Each chunk (a, b, …) is a part of a device's layers; a microbatch passes all devices once for each chunk.")},
    {"breadth-first",
     QT_TRANSLATE_NOOP(
         "Words",
         "Each chunk (a, b, …) is a part of a device's layers; all microbatches pass one chunk before the next begins.")},
    {"zb-h1",
     QT_TRANSLATE_NOOP("Words", "A device has one stage: I sends the gradient on, and W follows later, in the gaps of 1F1B.")},
    {"zb-h2",
     QT_TRANSLATE_NOOP("Words",
                       "A device has one stage: twice as many F come first, I sends the gradient on, and W fills the gaps.")},
    {"interleaved-zb",
     QT_TRANSLATE_NOOP("Words",
                       "Each chunk (a, b, …) is a part of a device's layers; I sends the gradient on, and W follows later.")},
    {"gis", QT_TRANSLATE_NOOP("Words", "Each chunk (a, b, …) is a part of a device's layers; W directly follows its I.")},
    {"po-h", QT_TRANSLATE_NOOP("Words", "Each chunk (a, b, …) is a part of a device's layers and has its turn in every round; "
                                        "the first half of the stages wait on the host.")},
    {"po-f", QT_TRANSLATE_NOOP("Words", "Each chunk (a, b, …) is a part of a device's layers and has its turn in every round; "
                                        "all of them wait on the host.")},
    {"zb-auto",
     QT_TRANSLATE_NOOP("Words", "A device has one stage: durations and the memory limit decide where its F, I and W are.")},
    {"zb-v", QT_TRANSLATE_NOOP("Words", "Each chunk is half of a device's layers: a on the way down the devices, b on the way "
                                        "back up. No memory beyond 1F1B's.")},
    {"v-half", QT_TRANSLATE_NOOP("Words", "Each chunk is half of a device's layers: a on the way down the devices, b on the "
                                          "way back up. About half as many are held as in 1F1B.")},
    {"v-min", QT_TRANSLATE_NOOP("Words", "Each chunk is half of a device's layers: a on the way down the devices, b on the way "
                                         "back up. About a third as many are held as in 1F1B.")},
    {"v-zb", QT_TRANSLATE_NOOP("Words", "Each chunk is half of a device's layers: a on the way down the devices, b on the way "
                                        "back up. The durations decide the order.")},
    {"1f1b-v",
     QT_TRANSLATE_NOOP(
         "Words", "Each chunk is half of a device's layers: a on the way down the devices, b on the way back up. B is whole.")},
    {"interlaced", QT_TRANSLATE_NOOP("Words", "A device has one stage: as 1F1B, and between its passes all devices run the "
                                              "vocabulary layers of one microbatch at once.")},
    {"dualpipe",
     QT_TRANSLATE_NOOP(
         "Words",
         "A device has two stages, one of each copy of the model; a box split in two is an F and a B at the same time.")},
    {"dualpipe-v", QT_TRANSLATE_NOOP("Words", "Each chunk is half of a device's layers: a on the way down the devices, b on "
                                              "the way back up. A box split in two is an F and a B at the same time.")},
    {"chimera",
     QT_TRANSLATE_NOOP(
         "Words", "A device has two stages, one of each copy of the model; half of the microbatches enter at either end.")},
    {"hanayo", QT_TRANSLATE_NOOP("Words", "Each chunk (a, b, …) is a part of a device's layers: a on the way down the devices, "
                                          "b on the way up, and so on in waves.")},
    {"seq1f1b",
     QT_TRANSLATE_NOOP("Words",
                       "A device has one stage, and a pass has one slice of a sequence: 3.1 is slice 1 of microbatch 3.")},
    {"seq1f1b-zb", QT_TRANSLATE_NOOP("Words", "A device has one stage, and a pass has one slice of a sequence: 3.1 is slice 1 "
                                              "of microbatch 3. W follows later than I.")},
    {"pipedream",
     QT_TRANSLATE_NOOP("Words", "A device has one stage: as 1F1B, and each B ends with an update of the weights.")},
    {"pipedream-2bw",
     QT_TRANSLATE_NOOP(
         "Words", "A device has one stage: as 1F1B; the weights of a step are one update behind, so two versions are held.")},
    {model::kCustomFamily,
     QT_TRANSLATE_NOOP(
         "Words",
         "The order of each device as you edit it: E lets you drag passes, and the text below the timeline lists them.")},
};

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
    if (name.starts_with("interleaved") || name == "breadth-first" || name == "gis" || name.starts_with("po-"))
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

QString methodReading(const QString &field, const QString &choice)
{
    if (field != u"schedule.family"_s)
        return {};
    const std::string name = utf8(choice);
    const auto row = std::ranges::find(kReadings, name, &std::pair<std::string_view, const char *>::first);
    return row == std::end(kReadings) ? QString() : Words::tr(row->second);
}

} // namespace stagelens::ui
