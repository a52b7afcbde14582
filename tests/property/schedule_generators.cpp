// All families on random plans: complete, in order, free of deadlock, and as many microbatches in memory as promised. Texts
// come back as they went.
#include "engine/base/random.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

namespace property_schedule_generators {

using namespace stagelens;
using namespace stagelens::schedule;

namespace {

/// Most activations (a stage's of a microbatch, from F to B, or to W where split) that a device holds at once.
int peakOf(const Schedule &schedule, int device)
{
    int held = 0;
    int peak = 0;
    for (const Pass &pass : schedule.device(device)) {
        held += pass.kind == PassKind::F ? 1 : pass.kind == PassKind::B || pass.kind == PassKind::W ? -1 : 0;
        peak = std::max(peak, held);
    }
    return peak;
}

/// Microbatches of the greatest group of an interleaved family.
int greatestGroup(const model::Experiment &experiment)
{
    const int microbatches = experiment.parallel.microbatches;
    const int devices = experiment.parallel.devices;
    const int size = std::min(experiment.schedule.groupSize.value_or(devices), microbatches);
    const int groups = microbatches / size;
    const int rest = microbatches % size;
    const bool hasSmallGroups =
        experiment.schedule.family == "gis" && experiment.schedule.groupSize.value_or(devices) < devices;
    return rest >= (hasSmallGroups ? (devices + 1) / 2 : devices) ? size : size + (rest + groups - 1) / groups;
}

/// The most activations that the family promises; nothing for families whose own tests check it.
std::optional<int> promisedPeak(const model::Experiment &experiment, int device)
{
    const int microbatches = experiment.parallel.microbatches;
    const int devices = experiment.parallel.devices;
    const int chunks = model::stagesPerDevice(experiment.schedule);
    const int left = devices - device;
    const int barriers = model::traits(experiment.schedule.vocabulary).barriers;
    const std::string &family = experiment.schedule.family;
    const bool hasPairs = experiment.schedule.overlappedPairs;
    const auto atMost = [&](int count) { return std::min(microbatches, count + barriers); };
    const auto ofChunks = [&](int count) { return std::min(chunks * microbatches, count + chunks * barriers); };
    if (family == "gpipe" || family == "breadth-first")
        return chunks * microbatches;
    if (family == "1f1b" || family == "pipedream" || family == "pipedream-2bw")
        return atMost(hasPairs ? 2 * left : left);
    if (family == "eager-1f1b")
        return atMost(2 * left - 1);
    if (family == "zb-h1" || family == "zb-h2")
        return atMost(family == "zb-h1" ? devices : 2 * devices);
    if (family == "interleaved-1f1b")
        return ofChunks(2 * (left - 1) + (chunks - 1) * greatestGroup(experiment) + (hasPairs ? 2 : 1));
    if (family == "interleaved-zb")
        return ofChunks(devices + (chunks - 1) * greatestGroup(experiment));
    if (family == "gis")
        return ofChunks(left + (chunks - 1) * greatestGroup(experiment));
    if (family == "po-h" || family == "po-f") { // all chunks are in flight once the first microbatch has returned
        const int round = (devices + 1) / 2;
        const int lastBegins = (chunks - 1) * round + std::gcd(round, chunks) - 1;
        const int returned = 2 * lastBegins + devices;
        const bool hasSteadyState = chunks * (microbatches - 1 - barriers) > returned;
        return hasSteadyState ? std::optional(ofChunks(lastBegins + left)) : std::nullopt;
    }
    if (family == "interlaced")
        return std::min(microbatches, 3 * devices / 2 - device);
    return std::nullopt;
}

/// Empty if the plan's schedule keeps every promise, or if it is refused with a field and a reason.
std::string faultOf(const model::Experiment &experiment, int &refused)
{
    const base::Result<Schedule> made = makeSchedule(experiment);
    if (!made.ok()) {
        ++refused;
        const base::Problem &problem = made.error().problems.front();
        return problem.field.empty() || findFamily(experiment.schedule.family)->conditions.empty() ? made.error().text() : "";
    }
    if (const std::vector<Violation> found = findViolations(*made); !found.empty())
        return fmt::format("device {} position {}: {}", found.front().device, found.front().position, found.front().cause);
    const bool isExact = !findFamily(experiment.schedule.family)->looksAtDurations;
    for (int device = 0; device < made->devices(); ++device)
        if (const auto promised = promisedPeak(experiment, device);
            promised && (isExact ? peakOf(*made, device) != *promised : peakOf(*made, device) > *promised))
            return fmt::format("device {} holds {} activations, not {}", device, peakOf(*made, device), *promised);
    const base::Result<Schedule> read = scheduleFromText(toText(*made));
    if (!read.ok())
        return read.error().text();
    return *read == *made ? "" : "the text form does not come back as it went";
}

model::Experiment randomPlan(base::Random &random, const Family &family)
{
    const auto number = [&](int least, int most) { return static_cast<int>(random.nextInteger(least, most)); };
    model::Experiment experiment;
    experiment.schedule.family = family.name;
    experiment.parallel.devices = number(1, 33);
    // Every third plan has fewer microbatches than devices, or hardly more; large ones are rare.
    const int kind = number(0, 5);
    experiment.parallel.microbatches = number(1, kind < 2 ? 35 : kind < 5 ? 60 : 200);
    if (kind == 4)
        experiment.parallel.devices = number(1, 5);
    if (number(0, 1) == 0)
        experiment.cost.source =
            model::UniformCosts{{{"F", random.nextUniform() + 0.01}, {"B", 3 * random.nextUniform() + 0.01}}};
    if (family.name == "interleaved-1f1b" || family.name == "breadth-first" || family.name == "interleaved-zb" ||
        family.name == "gis") {
        experiment.schedule.chunks = number(1, 4);
        if (family.name != "breadth-first" && number(0, 2) == 0)
            experiment.schedule.groupSize = number(1, 50);
    }
    experiment.schedule.overlappedPairs = model::leavesPairsOpen(family.name) && number(0, 1) == 0;
    if (family.name.starts_with("po-"))
        experiment.schedule.chunks = number(1, 6); // 1 is refused
    if (family.name == "hanayo")
        experiment.schedule.waves = number(1, 2);
    return experiment;
}

} // namespace

class ScheduleGenerators : public QObject {
    Q_OBJECT

private slots:
    void keepTheirPromises();
    void mutatedTextsAreReadOrRefused();
};

void ScheduleGenerators::keepTheirPromises()
{
    const std::uint64_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    base::Random random(seed);
    for (const Family &family : families()) {
        constexpr int kRounds = 40;
        int refused = 0;
        for (int round = 0; round < kRounds; ++round) {
            model::Experiment experiment = randomPlan(random, family);
            experiment.schedule.vocabulary =
                static_cast<model::VocabularyMethod>(round % (static_cast<int>(model::VocabularyMethod::Vocab2) + 1));
            const std::string fault = faultOf(experiment, refused);
            QVERIFY2(fault.empty(),
                     fmt::format("{} method {} {}x{} chunks {} group {} pairs {}: {}", family.name,
                                 model::name(experiment.schedule.vocabulary), experiment.parallel.devices,
                                 experiment.parallel.microbatches, experiment.schedule.chunks.value_or(0),
                                 experiment.schedule.groupSize.value_or(0), experiment.schedule.overlappedPairs, fault)
                         .c_str());
        }
        QVERIFY2(refused < kRounds, std::string(family.name).c_str());
    }
}

void ScheduleGenerators::mutatedTextsAreReadOrRefused()
{
    const std::uint64_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    base::Random random(seed);
    model::Experiment experiment;
    experiment.parallel.devices = 3;
    experiment.parallel.microbatches = 4;
    experiment.schedule.vocabulary = model::VocabularyMethod::Vocab1;
    const std::string original = toText(*makeSchedule(experiment)) + "# placement 0,1,2 F0@2+\n";
    int readable = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = original;
        for (std::int64_t i = random.nextInteger(1, 4); i > 0 && !text.empty(); --i) {
            const auto at = static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(text.size()) - 1));
            const auto length = static_cast<std::size_t>(random.nextInteger(1, 12));
            switch (random.nextInteger(0, 4)) {
            case 0: text[at] = static_cast<char>(random.nextInteger(0, 255)); break;
            case 1: text[at] = "0123456789@+,: \nFBSTUIWEO-"[random.nextInteger(0, 25)]; break;
            case 2: text.erase(at, length); break;
            case 3: text.insert(at, original.substr(static_cast<std::size_t>(random.nextInteger(0, 40)), length)); break;
            default: text.resize(at + 1); break;
            }
        }
        const base::Result<Schedule> read = scheduleFromText(text);
        if (!read.ok()) {
            QVERIFY(read.error().problems.front().message.starts_with("line "));
            continue;
        }
        ++readable;
        // Whatever was accepted can be judged and written again.
        QVERIFY(findViolations(*read, 5).size() <= 5);
        QVERIFY(*scheduleFromText(toText(*read)) == *read);
    }
    QVERIFY(readable > 100);
}

STAGELENS_TEST(ScheduleGenerators)

} // namespace property_schedule_generators

#include "schedule_generators.moc"
