#include "engine/schedule/check/validator.h"

#include "engine/passes/requirements.h"
#include "engine/schedule/check/deadlock.h"
#include "engine/schedule/pass_index.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace stagelens::schedule {

namespace {

/// Collects the faults of one schedule, in the order of the checks.
class Validation {
public:
    Validation(const Schedule &schedule, const ValidationOptions &options) : m_schedule(schedule), m_options(options) {}
    std::vector<Violation> run();

private:
    void fillIndex(PassIndex &index);
    void findMissing(const PassIndex &index);
    void reportMissing(const Pass &pass, int device);
    void checkWeightPass(const PassIndex &index, const Pass &pass, const PassIndex::Place &found);
    void findMisplacedDependencies(const PassIndex &index);
    void findMicrobatchDisorder(const PassIndex &index);
    void findExcessMemory();
    void findStaleWeights();
    void findEarlySteps();
    void findDeadlocks(const PassIndex &index);
    [[nodiscard]] bool isFull() const { return m_found.size() >= m_options.limit; }
    [[nodiscard]] std::string place(int device, std::size_t position) const
    {
        return m_options.place ? m_options.place(device, position) : fmt::format("position {}", position);
    }
    [[nodiscard]] std::string explain(const WaitCircle &circle) const;
    void report(Violation violation)
    {
        if (!isFull())
            m_found.push_back(std::move(violation));
    }

    const Schedule &m_schedule;
    const ValidationOptions &m_options;
    std::vector<Violation> m_found;
};

std::vector<Violation> Validation::run()
{
    // Builds no table for a plan much larger than the schedule: nearly every pass is missing.
    const std::size_t planned = PassIndex::plannedPasses(m_schedule);
    if (planned > 1'000 + 8 * m_schedule.passCount()) {
        report({ViolationKind::Missing, 0, m_schedule.device(0).size(),
                fmt::format("the plan needs {} passes but the schedule has only {}", planned, m_schedule.passCount()),
                "lower the number of microbatches or add the passes"});
        return std::move(m_found);
    }
    PassIndex index(m_schedule);
    fillIndex(index);
    findMissing(index);
    const std::size_t incomplete = m_found.size();
    findMisplacedDependencies(index);
    // A pass that precedes its own input on one device is a cycle by itself and was reported above.
    const bool isOrderedInside = m_found.size() == incomplete && !isFull();
    if (m_options.inMicrobatchOrder)
        findMicrobatchDisorder(index);
    findExcessMemory();
    findStaleWeights();
    if (isOrderedInside)
        findDeadlocks(index);
    return std::move(m_found);
}

void Validation::fillIndex(PassIndex &index)
{
    for (int device = 0; device < m_schedule.devices(); ++device) {
        const std::span<const Pass> passes = m_schedule.device(device);
        for (std::size_t position = 0; position < passes.size(); ++position) {
            const Pass &pass = passes[position];
            const std::size_t first = m_schedule.firstIndex(device);
            switch (index.add(pass, device, first + position)) {
            case PassIndex::Added::Yes: break;
            case PassIndex::Added::NotInPlan:
                report({ViolationKind::NotInPlan, device, position,
                        fmt::format("{} is no pass of a plan with {} stages, {} microbatches and this vocabulary method",
                                    text(pass), m_schedule.stages(), m_schedule.microbatches()),
                        fmt::format("remove it from device {}", device)});
                break;
            case PassIndex::Added::WrongDevice:
                report({ViolationKind::WrongDevice, device, position,
                        fmt::format("{} is on device {} but stage {} belongs to device {}", text(pass), device, pass.stage,
                                    m_schedule.placement().deviceOf(pass)),
                        isVocabularyPass(pass.kind)
                            ? "give it the stage of its device's first chunk"
                            : fmt::format("move it to device {}", m_schedule.placement().deviceOf(pass))});
                break;
            case PassIndex::Added::Twice:
                report({ViolationKind::Duplicate, device, position,
                        fmt::format("{} runs twice, first at {}", text(pass), place(device, index.at(pass, device) - first)),
                        "remove one of the two"});
                break;
            }
        }
    }
}

void Validation::findMissing(const PassIndex &index)
{
    const std::vector<int> firstStage = m_schedule.placement().firstStages();
    for (const PassKind kind : index.kinds()) {
        for (int unit = 0; unit < index.units(kind) && !isFull(); ++unit) {
            for (int i = 0; i < m_schedule.microbatches() && !isFull(); ++i) {
                const bool isVocabulary = isVocabularyPass(kind);
                const Pass pass = makePass(kind, isVocabulary ? firstStage[static_cast<std::size_t>(unit)] : unit, i);
                const PassIndex::Place found = index.placeOf(kind, unit, i);
                if (kind == PassKind::W)
                    checkWeightPass(index, pass, found);
                else if (!found.position)
                    reportMissing(pass, found.device);
            }
        }
    }
}

void Validation::reportMissing(const Pass &pass, int device)
{
    report({ViolationKind::Missing, device, m_schedule.device(device).size(), fmt::format("{} is missing", text(pass)),
            fmt::format("add it to device {}", device)});
}

/// Checks that W belongs to a split backward.
void Validation::checkWeightPass(const PassIndex &index, const Pass &pass, const PassIndex::Place &found)
{
    const PassIndex::Place backward = index.placeOf(PassKind::B, pass.stage, pass.microbatch);
    if (!backward.position)
        return; // reported as missing
    const bool isSplit = m_schedule.device(found.device)[*backward.position].kind == PassKind::I;
    if (isSplit && !found.position)
        reportMissing(pass, found.device);
    else if (!isSplit && found.position)
        report(
            {ViolationKind::NotInPlan, found.device, *found.position,
             fmt::format("{} makes the weight gradients again that B{}@{} has made", text(pass), pass.microbatch, pass.stage),
             "remove it, or write I in place of that B"});
}

void Validation::findMisplacedDependencies(const PassIndex &index)
{
    for (int device = 0; device < m_schedule.devices() && !isFull(); ++device) {
        const std::span<const Pass> passes = m_schedule.device(device);
        for (std::size_t position = 0; position < passes.size(); ++position) {
            const Pass &pass = passes[position];
            if (!index.isAt(device, position))
                continue;
            // Overlapped passes start together: neither can wait for the other.
            const bool isSecondOfPair = position > 0 && passes[position - 1].pairedWithNext;
            const std::size_t begin = isSecondOfPair ? position - 1 : position;
            forEachRequirement(m_schedule.rules(), pass, [&](const Requirement &needed) {
                const auto [owner, found] =
                    index.placeOf(needed.kind, needed.allDevices ? device : needed.stage, pass.microbatch + needed.unitOffset);
                if (owner != device || !found || *found < begin)
                    return;
                const std::string name = text(passes[*found]);
                report({ViolationKind::OutOfOrder, device, position,
                        fmt::format("{} needs {}, which comes only at {}", text(pass), name, place(device, *found)),
                        fmt::format("move {} in front of {}", name, place(device, begin))});
            });
        }
    }
}

/// The sums of gradients, each named by a pass that adds to it. I adds the gradients of norms; a whole backward adds to the
/// sums of I and of W.
constexpr std::array kSums{PassKind::I, PassKind::W, PassKind::T, PassKind::EB};

bool addsTo(PassKind sum, PassKind kind)
{
    return kind == sum || (kind == PassKind::B && (sum == PassKind::I || sum == PassKind::W));
}

/// Calls `visit(remark)` for every pass that adds gradients after those of a later microbatch, until it returns false.
/// Considers only passes that `counts(device, position)` accepts; they must belong to the plan.
template <class Counts, class Visit>
void visitDisorder(const Schedule &schedule, Counts counts, Visit visit)
{
    // The gradients of a shard belong to its device, those of a stage to each direction.
    const Placement &placement = schedule.placement();
    const int units = std::max(schedule.devices(), schedule.stages() * placement.directions);
    std::vector<Pass> latest(static_cast<std::size_t>(units) * kPassKindCount, makePass(PassKind::F, 0, -1));
    for (int device = 0; device < schedule.devices(); ++device) {
        const std::span<const Pass> passes = schedule.device(device);
        for (std::size_t position = 0; position < passes.size(); ++position) {
            const Pass &pass = passes[position];
            if (!counts(device, position))
                continue;
            const int unit = isVocabularyPass(pass.kind)
                                 ? device
                                 : pass.stage * placement.directions + placement.directionOf(pass.microbatch);
            const auto placeOf = [&](const Pass &each) { // T adds in the order of forwards, the others in that of backwards
                return each.microbatch < 0 || each.kind == PassKind::T ? each.microbatch
                                                                       : backwardPlace(each.microbatch, schedule.slices());
            };
            const Pass *after = nullptr;
            for (const PassKind sum : kSums) {
                Pass &last = latest[static_cast<std::size_t>(unit) * kPassKindCount + static_cast<std::size_t>(sum)];
                if (!addsTo(sum, pass.kind))
                    continue;
                if (placeOf(pass) < placeOf(last))
                    after = &last;
                else
                    last = pass;
            }
            if (after != nullptr && !visit(OrderRemark{device, position, pass, *after}))
                return;
        }
    }
}

/// The gradients of a stage in a synchronous step may be added in any order, and are not checked.
void Validation::findMicrobatchDisorder(const PassIndex &index)
{
    const auto counts = [&](int device, std::size_t position) { return index.isAt(device, position); };
    visitDisorder(m_schedule, counts, [&](const OrderRemark &found) {
        const bool isSharded = isVocabularyPass(found.pass.kind);
        if (isSharded || !m_schedule.isSynchronous())
            report({ViolationKind::MicrobatchOrder, found.device, found.position,
                    fmt::format("{} runs after microbatch {}; {}", text(found.pass), found.before.microbatch,
                                isSharded ? "a shard's gradients must be added in microbatch order"
                                          : "weights that change between microbatches must do so in microbatch order"),
                    fmt::format("move it in front of {}", text(found.before))});
        return !isFull();
    });
}

void Validation::findExcessMemory()
{
    for (std::size_t device = 0; device < m_options.activationLimit.size(); ++device) {
        const std::span<const Pass> passes = m_schedule.device(static_cast<int>(device));
        const std::int64_t room = m_options.activationLimit[device];
        std::int64_t held = 0;
        for (std::size_t position = 0; position < passes.size(); ++position) {
            held += activationChange(passes[position].kind);
            if (held <= room)
                continue;
            report({ViolationKind::TooMuchMemory, static_cast<int>(device), position,
                    fmt::format("{} puts {} activations in flight, but there is room for {}", text(passes[position]), held,
                                std::max<std::int64_t>(0, room)),
                    held > 1 ? "run a backward before it, or raise memory_limit"
                             : "raise memory_limit, or split the model over more devices"});
            break;
        }
    }
}

void Validation::findStaleWeights()
{
    const int stages = m_schedule.stages();
    if (m_schedule.weightUpdate() == WeightUpdate::DoubleBuffered && m_schedule.stepMicrobatches() < stages)
        report({ViolationKind::StaleWeights, 0, 0,
                fmt::format("{} microbatches a step are fewer than the {} stages: two versions of the weights are not enough",
                            m_schedule.stepMicrobatches(), stages),
                fmt::format("give {} or more microbatches", stages)});
    if (m_schedule.weightUpdate() == WeightUpdate::DoubleBuffered && m_schedule.iterations() > 1)
        return findEarlySteps();
    if (m_schedule.weightUpdate() != WeightUpdate::EachMicrobatch)
        return;
    for (int device = 0; device < m_schedule.devices(); ++device) {
        const std::span<const Pass> passes = m_schedule.device(device);
        std::vector<int> updates(static_cast<std::size_t>(stages), 0);
        for (std::size_t position = 0; position < passes.size() && !isFull(); ++position) {
            const Pass &pass = passes[position];
            int &done = updates[std::min<std::size_t>(pass.stage, updates.size() - 1)];
            done += addsTo(PassKind::W, pass.kind) ? 1 : 0;
            const int allowed = stages - 1 - pass.stage;
            if (pass.kind != PassKind::F || pass.microbatch - done <= allowed)
                continue;
            report({ViolationKind::StaleWeights, device, position,
                    fmt::format("{} uses weights that {} updates will have passed before its backward, where one for each "
                                "later stage is allowed: {}",
                                text(pass), pass.microbatch - done, allowed),
                    fmt::format("run the backward of microbatch {} before it", pass.microbatch - allowed - 1)});
            break;
        }
    }
}

/// With double buffering, a step computes with the weights that the one before the last has updated.
void Validation::findEarlySteps()
{
    const int ofStep = m_schedule.stepMicrobatches();
    for (int device = 0; device < m_schedule.devices() && !isFull(); ++device) {
        const std::span<const Pass> passes = m_schedule.device(device);
        std::vector<int> done(static_cast<std::size_t>(m_schedule.stages()), 0);
        for (std::size_t position = 0; position < passes.size(); ++position) {
            const Pass &pass = passes[position];
            int &backwards = done[std::min<std::size_t>(pass.stage, done.size() - 1)];
            backwards += addsTo(PassKind::W, pass.kind) ? 1 : 0;
            const int needed = (m_schedule.stepOf(pass) - 1) * ofStep;
            if (pass.kind != PassKind::F || backwards >= needed)
                continue;
            report(
                {ViolationKind::StaleWeights, device, position,
                 fmt::format("{} uses weights that the backward of microbatch {} has yet to update: two versions of them are "
                             "not enough",
                             text(pass), needed - 1),
                 fmt::format("run the backward of microbatch {} before it", needed - 1)});
            break;
        }
    }
}

/// "device 0 waits at position 4 (F3@0) for B0@1, which device 1 has at position 9 behind F3@1; ..."
std::string Validation::explain(const WaitCircle &circle) const
{
    constexpr std::size_t kMostShown = 6;
    std::string all;
    for (std::size_t i = 0; i < std::min(circle.size(), kMostShown); ++i) {
        const Wait &wait = circle[i];
        const Wait &next = circle[(i + 1) % circle.size()];
        const std::string blocker = text(m_schedule.device(next.device)[next.position]);
        all += fmt::format("{}device {}{}{} ({}{}{}, which device {} has at {}", i == 0 ? "" : "; ", wait.device,
                           wait.isSend ? " sends at " : " waits at ", place(wait.device, wait.position),
                           text(m_schedule.device(wait.device)[wait.position]), wait.isSend ? ") to " : ") for ",
                           text(wait.needed), wait.neededDevice, place(wait.neededDevice, wait.neededPosition));
        if (wait.neededPosition != next.position)
            all += fmt::format(" behind {}", blocker);
    }
    if (circle.size() > kMostShown)
        all += fmt::format("; and so on over {} more devices back to device {}", circle.size() - kMostShown,
                           circle.front().device);
    return all;
}

void Validation::findDeadlocks(const PassIndex &index)
{
    for (const WaitCircle &circle : findWaitCircles(m_schedule, index, m_options.sends)) {
        // A pass that waits for another device's next pass is not the cause; one that waits behind other passes may be.
        std::size_t at = 0;
        while (at + 1 < circle.size() && circle[at].neededPosition == circle[(at + 1) % circle.size()].position)
            ++at;
        const Wait &wait = circle[at];
        const Wait &next = circle[(at + 1) % circle.size()];
        report({ViolationKind::Deadlock, circle.front().device, circle.front().position, explain(circle),
                std::ranges::any_of(circle, &Wait::isSend)
                    ? "let the devices send and receive at once, or buffer the sends"
                    : fmt::format("on device {} move {} in front of {}", next.device, text(wait.needed),
                                  text(m_schedule.device(next.device)[next.position]))});
    }
}

} // namespace

std::string_view name(ViolationKind kind)
{
    constexpr std::array<std::string_view, 9> kNames{"missing",      "duplicate",       "wrong-device",
                                                     "out-of-order", "deadlock",        "microbatch-order",
                                                     "not-in-plan",  "too-much-memory", "stale-weights"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<OrderRemark> accumulationOrder(const Schedule &schedule)
{
    std::optional<OrderRemark> found;
    visitDisorder(
        schedule, [](int, std::size_t) { return true; },
        [&](const OrderRemark &remark) {
            found = remark;
            return false;
        });
    return found;
}

std::string text(const OrderRemark &remark)
{
    return fmt::format("device {} adds the gradients of {} after those of {}; sums in floating point depend on their order, so "
                       "losses and gradients have other bits than those of a schedule in microbatch order",
                       remark.device, text(remark.pass), text(remark.before));
}

std::vector<Violation> findViolations(const Schedule &schedule, const ValidationOptions &options)
{
    return Validation(schedule, options).run();
}

} // namespace stagelens::schedule
