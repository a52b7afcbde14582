// The validator against a second opinion: it finds a fault in a damaged schedule exactly where a naive check does, which
// shares no code with it.
#include "engine/base/random.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace property_schedule_mutations {

using namespace stagelens;
using namespace stagelens::schedule;

namespace {

using Orders = std::vector<std::vector<Pass>>;
using Key = std::tuple<PassKind, int, int>; ///< kind, stage, microbatch; one stage a device

Key keyOf(const Pass &pass)
{
    return {pass.kind, pass.stage, pass.microbatch};
}

/// The rules of arXiv 2411.05288, written as keys.
std::vector<Key> needsOf(const Key &key, int devices, model::VocabularyMethod method)
{
    const PassKind kind = std::get<0>(key);
    const int stage = std::get<1>(key);
    const int i = std::get<2>(key);
    const bool sharded = model::traits(method).isSharded;
    std::vector<Key> needs;
    const auto onAll = [&](PassKind needed) {
        for (int device = 0; device < devices; ++device)
            needs.emplace_back(needed, device, i);
    };
    if (kind == PassKind::F && stage > 0)
        needs.emplace_back(PassKind::F, stage - 1, i);
    if (kind == PassKind::F && stage == 0 && sharded)
        onAll(PassKind::EF);
    if (kind == PassKind::B) {
        needs.emplace_back(PassKind::F, stage, i);
        if (stage + 1 < devices)
            needs.emplace_back(PassKind::B, stage + 1, i);
        else if (sharded)
            onAll(method == model::VocabularyMethod::Vocab2 ? PassKind::S : PassKind::T);
    }
    if (kind == PassKind::S)
        needs.emplace_back(PassKind::F, devices - 1, i);
    if (kind == PassKind::U)
        onAll(PassKind::S);
    if (kind == PassKind::T)
        onAll(method == model::VocabularyMethod::Naive ? PassKind::U : PassKind::S);
    if (kind == PassKind::EB)
        needs.emplace_back(PassKind::B, 0, i);
    return needs;
}

std::set<Key> planOf(int devices, int microbatches, model::VocabularyMethod method)
{
    std::vector<PassKind> kinds = {PassKind::F, PassKind::B};
    if (model::traits(method).isSharded)
        kinds.insert(kinds.end(), {PassKind::S, PassKind::T, PassKind::EF, PassKind::EB});
    if (method == model::VocabularyMethod::Naive)
        kinds.push_back(PassKind::U);
    std::set<Key> plan;
    for (const PassKind kind : kinds)
        for (int device = 0; device < devices; ++device)
            for (int i = 0; i < microbatches; ++i)
                plan.emplace(kind, device, i);
    return plan;
}

bool isInMicrobatchOrder(const std::vector<Pass> &order)
{
    std::map<PassKind, int> last;
    for (const Pass &pass : order) {
        const bool isShards = pass.kind == PassKind::T || pass.kind == PassKind::EB;
        if (isShards && last.contains(pass.kind) && last[pass.kind] >= pass.microbatch)
            return false;
        last[pass.kind] = pass.microbatch;
    }
    return true;
}

bool isValid(const Orders &orders, int microbatches, model::VocabularyMethod method)
{
    const int devices = static_cast<int>(orders.size());
    std::set<Key> seen;
    std::size_t count = 0;
    for (int device = 0; device < devices; ++device) {
        const std::vector<Pass> &order = orders[static_cast<std::size_t>(device)];
        if (!isInMicrobatchOrder(order))
            return false;
        for (const Pass &pass : order) {
            if (pass.stage != device)
                return false;
            seen.insert(keyOf(pass));
            ++count;
        }
    }
    const std::set<Key> plan = planOf(devices, microbatches, method);
    if (seen != plan || count != plan.size())
        return false;
    std::set<Key> done;
    std::vector<std::size_t> next(orders.size());
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t device = 0; device < orders.size(); ++device) {
            for (; next[device] < orders[device].size(); ++next[device], moved = true) {
                const Key key = keyOf(orders[device][next[device]]);
                const std::vector<Key> needs = needsOf(key, devices, method);
                if (!std::all_of(needs.begin(), needs.end(), [&](const Key &needed) { return done.contains(needed); }))
                    break;
                done.insert(key);
            }
        }
    }
    return done.size() == plan.size();
}

std::size_t pick(base::Random &random, std::size_t count)
{
    return static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(count) - 1));
}

/// Swaps, moves, removes, doubles, relabels or misplaces one pass.
void damage(Orders &orders, base::Random &random, int microbatches)
{
    std::vector<Pass> &order = orders[pick(random, orders.size())];
    if (order.empty())
        return;
    const std::size_t at = pick(random, order.size());
    const Pass pass = order[at];
    const auto insertAt = [&](std::vector<Pass> &target) {
        target.insert(target.begin() + static_cast<std::ptrdiff_t>(pick(random, target.size() + 1)), pass);
    };
    switch (random.nextInteger(0, 7)) {
    case 0: std::swap(order[at], order[pick(random, order.size())]); return;
    case 1:
    case 2: std::swap(order[at], order[std::min(at + 1, order.size() - 1)]); return;
    case 3: order[at].microbatch = static_cast<std::int32_t>(pick(random, static_cast<std::size_t>(microbatches))); return;
    case 4: insertAt(order); return;
    default: break;
    }
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
    switch (random.nextInteger(0, 3)) {
    case 0: break;
    case 1: insertAt(orders[pick(random, orders.size())]); break;
    default: insertAt(order); break;
    }
}

} // namespace

class ScheduleMutations : public QObject {
    Q_OBJECT

private slots:
    void validatorAgreesWithNaiveCheck();
};

void ScheduleMutations::validatorAgreesWithNaiveCheck()
{
    const std::uint64_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    base::Random random(seed);
    int sound = 0;
    int broken = 0;
    std::set<ViolationKind> kinds;
    for (int round = 0; round < 3'000; ++round) {
        model::Experiment experiment;
        experiment.parallel.devices = static_cast<int>(random.nextInteger(1, 5));
        const int microbatches = static_cast<int>(random.nextInteger(1, 6));
        experiment.parallel.microbatches = microbatches;
        experiment.schedule.family = std::array{"gpipe", "1f1b", "eager-1f1b"}[pick(random, 3)];
        experiment.schedule.vocabulary = static_cast<model::VocabularyMethod>(random.nextInteger(0, 4));
        const base::Result<Schedule> made = makeSchedule(experiment);
        QVERIFY(made.ok());
        Orders orders;
        for (int device = 0; device < made->devices(); ++device)
            orders.emplace_back(made->device(device).begin(), made->device(device).end());
        for (std::int64_t i = random.nextInteger(0, 3); i > 0; --i)
            damage(orders, random, microbatches);
        const Schedule damaged(made->family(), made->placement(), microbatches, made->vocabulary(), orders);
        const std::vector<Violation> found = findViolations(damaged);
        const bool valid = isValid(orders, microbatches, made->vocabulary());
        QVERIFY2(found.empty() == valid, fmt::format("{}{} but found {}", toText(damaged), valid ? "is valid" : "is not valid",
                                                     found.empty() ? "nothing" : found.front().cause)
                                             .c_str());
        ++(valid ? sound : broken);
        for (const Violation &violation : found) {
            kinds.insert(violation.kind);
            QVERIFY(violation.position <= damaged.device(violation.device).size());
            QVERIFY(!violation.cause.empty() && !violation.remedy.empty());
        }
    }
    qInfo() << sound << "sound," << broken << "broken";
    QVERIFY(sound > 300 && broken > 300);
    // All but NotInPlan, which this damage does not make.
    QCOMPARE(kinds.size(), std::size_t{6});
}

STAGELENS_TEST(ScheduleMutations)

} // namespace property_schedule_mutations

#include "schedule_mutations.moc"
