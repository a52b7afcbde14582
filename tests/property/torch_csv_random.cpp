// PyTorch's CSV under every family and under noise: what goes out comes back, the fast lowering is the plain one, and no bytes
// do harm.
#include "engine/base/random.h"
#include "engine/exchange/schedule_file.h"
#include "engine/exchange/torch_lowering.h"
#include "engine/model/family_shape.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <set>
#include <tuple>

namespace property_torch_csv_random {

using namespace stagelens;
using namespace stagelens::exchange;

namespace {

using Row = std::vector<TorchAction>;

std::uint64_t printedSeed()
{
    const std::uint64_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    return seed;
}

/// The rule as PyTorch states it: rank after rank, the head of each once a round, receives searched for among all that came.
std::vector<Row> plainlyLowered(const schedule::Schedule &schedule)
{
    const auto csv = torchCsvOf(schedule);
    std::vector<Row> left = csv->ranks;
    std::vector<Row> out(left.size());
    std::vector<std::set<std::tuple<TorchKind, int, int>>> seen(left.size());
    const schedule::Placement &placement = schedule.placement();
    const auto has = [&](std::size_t rank, TorchKind kind, int stage, int microbatch) {
        return seen[rank].contains({kind, stage, microbatch});
    };
    const auto put = [&](std::size_t rank, const TorchAction &action) {
        out[rank].push_back(action);
        seen[rank].emplace(action.kind, action.stage, action.microbatch);
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t rank = 0; rank < left.size(); ++rank) {
            std::size_t length = 0;
            while (length < left[rank].size() && left[rank][length].overlap == TorchOverlap::More)
                ++length;
            if (left[rank].empty())
                continue;
            const Row unit(left[rank].begin(), left[rank].begin() + static_cast<std::ptrdiff_t>(length) + 1);
            const bool ready = std::ranges::all_of(unit, [&](const TorchAction &a) {
                if (a.kind == TorchKind::F)
                    return a.stage == 0 || has(rank, TorchKind::RecvF, a.stage, a.microbatch) ||
                           has(rank, TorchKind::F, a.stage - 1, a.microbatch);
                return a.kind == TorchKind::W || a.stage == placement.lastStage() ||
                       has(rank, TorchKind::RecvB, a.stage, a.microbatch) ||
                       has(rank, TorchKind::I, a.stage + 1, a.microbatch) || has(rank, TorchKind::B, a.stage + 1, a.microbatch);
            });
            if (!ready)
                continue;
            for (const TorchAction &action : unit)
                put(rank, action);
            for (const TorchAction &action : unit) {
                const bool forward = action.kind == TorchKind::F;
                const int to = forward ? action.stage + 1 : action.stage - 1;
                if (action.kind == TorchKind::W || to < 0 || to > placement.lastStage() ||
                    placement.deviceOf(to) == static_cast<int>(rank))
                    continue;
                put(rank, {action.microbatch, action.stage, forward ? TorchKind::SendF : TorchKind::SendB, TorchOverlap::None});
                put(static_cast<std::size_t>(placement.deviceOf(to)),
                    {action.microbatch, static_cast<std::uint16_t>(to), forward ? TorchKind::RecvF : TorchKind::RecvB,
                     TorchOverlap::None});
            }
            left[rank].erase(left[rank].begin(), left[rank].begin() + static_cast<std::ptrdiff_t>(unit.size()));
            progress = true;
        }
    }
    return out;
}

} // namespace

class TorchCsvRandom : public QObject {
    Q_OBJECT

private slots:
    void everyFamilyComesBack();
    void noiseIsReadOrRefused();
};

void TorchCsvRandom::everyFamilyComesBack()
{
    base::Random random(printedSeed());
    for (const schedule::Family &family : schedule::families()) {
        for (int round = 0;
             round < 6 && family.directions == 1 && family.name != "interlaced" && !model::cutsSequences(family.name);
             ++round) {
            model::Experiment experiment;
            experiment.schedule.family = family.name;
            experiment.parallel.devices = static_cast<int>(random.nextInteger(1, 9));
            experiment.parallel.microbatches = static_cast<int>(random.nextInteger(1, 30));
            const auto made = schedule::makeSchedule(experiment);
            if (!made)
                continue; // refused by the family, which its own tests look at
            const std::string plan =
                fmt::format("{} {}x{}", family.name, experiment.parallel.devices, experiment.parallel.microbatches);
            const auto csv = torchCsvOf(*made);
            QVERIFY2(csv.ok(), plan.c_str());
            const auto file = readSchedule(writeTorchCsv(*csv));
            QVERIFY2(file.ok(), (plan + (file.ok() ? "" : file.error().text())).c_str());
            QVERIFY2(*file->csv == *csv, plan.c_str());
            QVERIFY2(file->schedule.placement() == made->placement(), plan.c_str());
            for (int device = 0; device < made->devices(); ++device)
                QVERIFY2(std::ranges::equal(file->schedule.device(device), made->device(device)), plan.c_str());
            const auto messages = lowered(*made, TorchLowering::Messages, TorchRelease::UpTo2_14);
            QVERIFY2(messages.ok() && messages->ranks == plainlyLowered(*made), plan.c_str());
            for (const auto &[lowering, release] : {std::pair(TorchLowering::Messages, TorchRelease::UpTo2_14),
                                                    std::pair(TorchLowering::Messages, TorchRelease::Since2_15),
                                                    std::pair(TorchLowering::Replicas, TorchRelease::UpTo2_14),
                                                    std::pair(TorchLowering::Replicas, TorchRelease::Since2_15),
                                                    std::pair(TorchLowering::Full, TorchRelease::UpTo2_14),
                                                    std::pair(TorchLowering::Full, TorchRelease::Since2_15)}) {
                const std::string text = writeTorchCsv(*lowered(*made, lowering, release));
                const auto again = readSchedule(text);
                QVERIFY2(again.ok(), (plan + (again.ok() ? "" : again.error().text())).c_str());
                QVERIFY2(again->schedule == file->schedule, plan.c_str());
                QCOMPARE(writeTorchCsv(*again->csv), text);
                const bool reduces = lowering != TorchLowering::Messages;
                const auto reductions = [&](const std::vector<TorchAction> &row) {
                    return std::ranges::count(row, TorchKind::ReduceGrad, &TorchAction::kind);
                };
                std::ptrdiff_t count = 0; // one for each stage
                for (const auto &row : again->csv->ranks)
                    count += reductions(row);
                QCOMPARE(count, reduces ? made->stages() : 0);
            }
        }
    }
}

void TorchCsvRandom::noiseIsReadOrRefused()
{
    base::Random random(printedSeed());
    model::Experiment experiment;
    experiment.schedule.family = "dualpipe-v";
    experiment.parallel.devices = 3;
    experiment.parallel.microbatches = 7;
    const auto made = schedule::makeSchedule(experiment);
    const std::string compute = writeTorchCsv(*torchCsvOf(*made));
    const std::string comms = writeTorchCsv(*lowered(*made));
    int readable = 0;
    for (int round = 0; round < 4'000; ++round) {
        std::string text = round % 2 == 0 ? compute : comms;
        for (std::int64_t i = random.nextInteger(1, 4); i > 0 && !text.empty(); --i) {
            const auto at = static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(text.size()) - 1));
            const auto length = static_cast<std::size_t>(random.nextInteger(1, 12));
            switch (random.nextInteger(0, 4)) {
            case 0: text[at] = static_cast<char>(random.nextInteger(0, 255)); break;
            case 1: text[at] = "0123456789FIWB(;),\n\r -\""[random.nextInteger(0, 22)]; break;
            case 2: text.erase(at, length); break;
            case 3: text.insert(at, comms.substr(static_cast<std::size_t>(random.nextInteger(0, 300)), length)); break;
            default: text.resize(at + 1); break;
            }
        }
        const auto file = readSchedule(text);
        if (!file) {
            QVERIFY(!file.error().problems.empty() && file.error().problems.size() <= 20);
            continue;
        }
        ++readable;
        // Whatever was read can be judged, located, and said again.
        for (const schedule::Violation &violation : schedule::findViolations(file->schedule))
            QVERIFY(file->placeOf(violation.device, violation.position).row >= 1);
        if (file->csv) {
            const auto again = readTorchCsv(writeTorchCsv(*file->csv));
            QVERIFY(again.ok());
            QVERIFY(*again == *file->csv || file->csv->dialect == TorchDialect::Of2024);
        }
        const auto sent = lowered(file->schedule);
        QVERIFY(sent.ok() || !sent.error().problems.empty());
    }
    QVERIFY(readable > 0); // some mutations only change a number
}

STAGELENS_TEST(TorchCsvRandom)

} // namespace property_torch_csv_random

#include "torch_csv_random.moc"
