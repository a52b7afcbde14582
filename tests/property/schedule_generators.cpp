// All families on random plans: complete, in order, free of deadlock, and as many microbatches in memory as promised. Texts
// come back as they went.
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "engine/schedule/validator.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stagelens;
using namespace stagelens::schedule;

namespace {

int peakOf(const Schedule &schedule, int device)
{
    int held = 0;
    int peak = 0;
    for (const Pass &pass : schedule.device(device)) {
        held += pass.kind == PassKind::F ? 1 : pass.kind == PassKind::B ? -1 : 0;
        peak = std::max(peak, held);
    }
    return peak;
}

int promisedPeak(const model::Experiment &experiment, int device)
{
    const auto &[devices, microbatches, size, layers] = experiment.parallel;
    if (experiment.schedule.family == "gpipe")
        return microbatches;
    return std::min(microbatches, devices - device + model::barrierCount(experiment.schedule.vocabulary));
}

/// Empty if the plan's schedule keeps every promise.
std::string faultOf(const model::Experiment &experiment)
{
    const base::Result<Schedule> made = makeSchedule(experiment);
    if (!made.ok())
        return made.error().text();
    if (const std::vector<Violation> found = findViolations(*made); !found.empty())
        return base::concat("device ", found.front().device, " position ", found.front().position, ": ", found.front().cause);
    for (int device = 0; device < made->devices(); ++device)
        if (peakOf(*made, device) != promisedPeak(experiment, device))
            return base::concat("device ", device, " holds ", peakOf(*made, device), " microbatches, not ",
                                promisedPeak(experiment, device));
    const base::Result<Schedule> read = scheduleFromText(toText(*made));
    if (!read.ok())
        return read.error().text();
    return *read == *made ? "" : "the text form does not come back as it went";
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
    for (int round = 0; round < 40; ++round) {
        model::Experiment experiment;
        experiment.parallel.devices = static_cast<int>(random.nextInteger(1, 33));
        // Every third plan has fewer microbatches than devices, or hardly more.
        experiment.parallel.microbatches = static_cast<int>(random.nextInteger(1, round % 3 == 0 ? 35 : 200));
        if (round % 2 == 0)
            experiment.cost.source =
                model::UniformCosts{{{"F", random.nextUniform() + 0.01}, {"B", 3 * random.nextUniform() + 0.01}}};
        for (const Family &family : families()) {
            experiment.schedule.family = family.name;
            for (int method = 0; method <= static_cast<int>(model::VocabularyMethod::Vocab2); ++method) {
                experiment.schedule.vocabulary = static_cast<model::VocabularyMethod>(method);
                const std::string fault = faultOf(experiment);
                QVERIFY2(fault.empty(), base::concat(family.name, " method ", method, ' ', experiment.parallel.devices, 'x',
                                                     experiment.parallel.microbatches, ": ", fault)
                                            .c_str());
            }
        }
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

QTEST_GUILESS_MAIN(ScheduleGenerators)
#include "schedule_generators.moc"
