#include "engine/schedule/families/interleaved.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace stagelens::schedule {

namespace {

/// A chunk and a microbatch, in the order in which a device runs forwards; backwards run the same with the chunks reversed.
struct Step {
    int chunk = 0;
    int microbatch = 0;
};

/// The rule of one of the families below.
struct GroupedRule {
    std::string_view family;
    int perDevice = 1;              ///< forwards of the warm-up for each device that follows in the pipeline
    bool splits = false;            ///< the backward is split into I and W
    int weightDelay = 0;            ///< W follows its I by that many backwards for each device before this one
    bool allowsSmallGroups = false; ///< groups of half the devices and more, else of all devices and more
};
constexpr GroupedRule kInterleaved{.family = "interleaved-1f1b", .perDevice = 2};
constexpr GroupedRule kInterleavedZb{.family = "interleaved-zb", .splits = true, .weightDelay = 1};
constexpr GroupedRule kGeneralized{.family = "gis", .splits = true, .allowsSmallGroups = true};

/// The smallest group that does not deadlock, or, without small groups, that fills the pipeline.
int leastGroup(const GroupedRule &rule, int devices)
{
    return rule.allowsSmallGroups ? (devices + 1) / 2 : devices;
}

/// Sizes of the groups of microbatches: `size` each, the rest in one more if that is allowed, else dealt to all. Where full
/// groups are chosen, the rest has to fill the pipeline as well.
std::vector<int> groupSizes(const GroupedRule &rule, int microbatches, int size, int devices)
{
    const int least = size < devices ? leastGroup(rule, devices) : devices;
    const int groups = std::max(1, microbatches / size);
    const int rest = microbatches - groups * size;
    std::vector<int> sizes(static_cast<std::size_t>(groups), std::min(size, microbatches));
    if (rest >= least) {
        sizes.push_back(rest);
    } else {
        for (int i = 0; i < rest; ++i)
            ++sizes[static_cast<std::size_t>(i % groups)];
    }
    return sizes;
}

std::vector<Step> stepsOf(const std::vector<int> &groups, int chunks)
{
    std::vector<Step> steps;
    int first = 0;
    for (const int size : groups) {
        for (int chunk = 0; chunk < chunks; ++chunk)
            for (int i = 0; i < size; ++i)
                steps.push_back({chunk, first + i});
        first += size;
    }
    return steps;
}

/// Writes the order of one device of a looped pipeline.
class InterleavedWriter {
public:
    InterleavedWriter(const model::Experiment &experiment, const std::vector<Step> &steps, int device)
        : m_devices(experiment.parallel.devices), m_chunks(model::stagesPerDevice(experiment.schedule)), m_device(device),
          m_steps(steps)
    {}

    [[nodiscard]] bool hasForward() const { return m_forward < m_steps.size(); }
    [[nodiscard]] bool hasBackward() const { return m_backward < m_steps.size(); }
    [[nodiscard]] bool hasWeight() const { return m_weight < m_steps.size(); }
    void forward() { emit(PassKind::F, m_steps[m_forward++], false); }
    void pair()
    {
        forward();
        m_passes.back().pairedWithNext = true;
        backward(PassKind::B);
    }
    void backward(PassKind kind) { emit(kind, m_steps[m_backward++], true); }
    void weight() { emit(PassKind::W, m_steps[m_weight++], true); }
    [[nodiscard]] std::vector<Pass> take() { return std::move(m_passes); }

private:
    void emit(PassKind kind, const Step &step, bool isReversed)
    {
        const int chunk = isReversed ? m_chunks - 1 - step.chunk : step.chunk;
        m_passes.push_back(makePass(kind, chunk * m_devices + m_device, step.microbatch));
    }

    int m_devices;
    int m_chunks;
    int m_device;
    const std::vector<Step> &m_steps;
    std::size_t m_forward = 0;
    std::size_t m_backward = 0;
    std::size_t m_weight = 0;
    std::vector<Pass> m_passes;
};

/// Forwards of device r before it alternates: what lies between two devices of the pipeline, `perDevice` each, and all chunks
/// but the last of a group; with pairs one more, so that the backward of a pair does not wait for its forward.
std::vector<Pass> deviceOrder(const model::Experiment &experiment, const std::vector<Step> &steps, int greatestGroup,
                              int device, const GroupedRule &rule)
{
    InterleavedWriter writer(experiment, steps, device);
    const int warmUp = rule.perDevice * (experiment.parallel.devices - 1 - device) +
                       (model::stagesPerDevice(experiment.schedule) - 1) * greatestGroup +
                       (experiment.schedule.overlappedPairs ? 1 : 0);
    for (int i = 0; i < warmUp && writer.hasForward(); ++i)
        writer.forward();
    while (experiment.schedule.overlappedPairs && writer.hasForward())
        writer.pair();
    for (int pair = 0; writer.hasBackward(); ++pair) {
        if (writer.hasForward())
            writer.forward();
        writer.backward(rule.splits ? PassKind::I : PassKind::B);
        if (rule.splits && pair >= rule.weightDelay * device)
            writer.weight();
    }
    while (rule.splits && writer.hasWeight())
        writer.weight();
    return writer.take();
}

base::Result<Schedule> groupedOrder(const GroupedRule &rule, const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    const int chunks = model::stagesPerDevice(experiment.schedule);
    const int size = experiment.schedule.groupSize.value_or(devices);
    if (const int least = std::min(leastGroup(rule, devices), microbatches); size < least && chunks > 1)
        return base::Error::invalid("schedule.group_size",
                                    fmt::format("groups of {} microbatches do not fill {}the pipeline of {} devices, and each "
                                                "chunk would wait for the end of the one before; give {} or more",
                                                size, rule.allowsSmallGroups ? "half of " : "", devices, least));
    const std::vector<int> groups = groupSizes(rule, microbatches, size, devices);
    const std::vector<Step> steps = stepsOf(groups, chunks);
    LayerOrder order{Placement::looped(devices, chunks), {}};
    for (int device = 0; device < devices; ++device)
        order.devices.push_back(deviceOrder(experiment, steps, *std::ranges::max_element(groups), device, rule));
    return withVocabulary(rule.family, order, experiment, durations);
}

} // namespace

std::optional<int> grownGroup(const model::Experiment &experiment)
{
    const int microbatches = experiment.parallel.microbatches;
    const int size = experiment.schedule.groupSize.value_or(experiment.parallel.devices);
    constexpr std::array kRules{kInterleaved, kInterleavedZb, kGeneralized};
    const auto *const rule = std::ranges::find(kRules, experiment.schedule.family, &GroupedRule::family);
    if (rule == kRules.end() || size < 1 || microbatches < 1)
        return std::nullopt;
    const int greatest = std::ranges::max(groupSizes(*rule, microbatches, size, experiment.parallel.devices));
    return greatest > size ? std::optional(greatest) : std::nullopt;
}

base::Result<Schedule> interleaved(const model::Experiment &experiment, const Durations &durations)
{
    return groupedOrder(kInterleaved, experiment, durations);
}

base::Result<Schedule> interleavedZb(const model::Experiment &experiment, const Durations &durations)
{
    return groupedOrder(kInterleavedZb, experiment, durations);
}

base::Result<Schedule> generalizedInterleaved(const model::Experiment &experiment, const Durations &durations)
{
    return groupedOrder(kGeneralized, experiment, durations);
}

base::Result<Schedule> breadthFirst(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int chunks = model::stagesPerDevice(experiment.schedule);
    const std::vector<Step> steps = stepsOf({experiment.parallel.microbatches}, chunks);
    LayerOrder order{Placement::looped(devices, chunks), {}};
    for (int device = 0; device < devices; ++device) {
        InterleavedWriter writer(experiment, steps, device);
        while (writer.hasForward())
            writer.forward();
        while (writer.hasBackward())
            writer.backward(PassKind::B);
        order.devices.push_back(writer.take());
    }
    return withVocabulary("breadth-first", order, experiment, durations);
}

} // namespace stagelens::schedule
