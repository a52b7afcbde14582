// validate(): every problem of a plan, found without stopping at the first.
#include "engine/base/text.h"
#include "engine/model/checks/checks.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/presets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::model {

namespace {

constexpr double kLongestMilliseconds = 1e9;

struct CostCheck {
    Checks &checks;
    bool hasModel;
    const ParallelPlan &plan;
    DataType type;

    void operator()(const HardwarePreset &hardware) const
    {
        checks.isText(hardware.name, "cost.hardware");
        if (hardware.cluster)
            checkRanks(*hardware.cluster);
        checks.holds(hasModel, "cost.hardware",
                     "needs a model to compute costs from; give a model, or uniform costs or durations");
        if (hasModel && type == DataType::Fp8 && !hardware.isThisMachine())
            checkEightBits(hardware);
    }
    /// This machine emulates products in 8 bits; a GPU may have none.
    void checkEightBits(const HardwarePreset &preset) const
    {
        if (const auto hardware = hardwareOf(preset))
            checks.holds(hardware->peakFlopsOf8Bits > 0, "model.dtype",
                         fmt::format("is fp8, but the hardware {} has no products in 8 bits; choose bf16, or give it "
                                     "peak_flops_of_8_bits",
                                     base::quoted(preset.name)));
    }
    /// A cluster may have too few GPUs for the plan.
    void checkRanks(const Hardware &cluster) const
    {
        const std::int64_t available = std::int64_t{cluster.nodes} * cluster.devicesPerNode;
        const std::int64_t ranks = plan.ranks(plan.devices);
        if (available == 0 || plan.devices < 1 || ranks < 1)
            return;
        const std::int64_t each = std::max<std::int64_t>(1, ranks / plan.devices);
        const std::string remedy =
            available >= each
                ? fmt::format("lower devices to {}", available / each)
                : fmt::format("lower the replicas to {}", std::max<std::int64_t>(1, available * plan.replicas / ranks));
        checks.holds(ranks <= available, "parallel.devices",
                     fmt::format("the plan has {} ranks, and {} has {} ({} nodes of {}); {}, or raise its nodes to {}", ranks,
                                 base::quoted(cluster.name), available, cluster.nodes, cluster.devicesPerNode, remedy,
                                 (ranks + cluster.devicesPerNode - 1) / cluster.devicesPerNode));
    }
    void operator()(const DurationsFile &durations) const { checks.isText(durations.file, "cost.durations"); }
    void operator()(const UniformCosts &uniform) const
    {
        constexpr std::array<std::string_view, 16> kKeys{"F",  "B",  "I",   "W",  "S",    "T",  "U",  "EF",
                                                         "EB", "FB", "OFF", "ON", "send", "c0", "c1", "c2"};
        for (const auto &[key, milliseconds] : uniform.milliseconds) {
            const std::string field = "cost.uniform." + key;
            checks.holds(std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end(), field,
                         "is no pass or message; there are F B I W S T U EF EB FB OFF ON send c0 c1 c2");
            // Written so that NaN fails as well.
            checks.holds(milliseconds >= 0 && milliseconds <= kLongestMilliseconds, field,
                         fmt::format("is {:g}; choose 0 to {:g} ms", milliseconds, kLongestMilliseconds));
        }
    }
};

/// A custom schedule is its file or its text, and no other family has one.
void checkFamily(const ScheduleChoice &schedule, Checks &checks)
{
    if (!checks.isText(schedule.family, "schedule.family"))
        return;
    const bool isCustom = schedule.family == kCustomFamily;
    if (isCustom) {
        checks.holds(schedule.hasOwnOrder(), "schedule.file", "is missing; a custom schedule needs its file");
        checks.holds(schedule.file.empty() || schedule.text.empty(), "schedule.text",
                     "stands beside schedule.file; leave one of the two out");
        if (!schedule.file.empty())
            checks.isText(schedule.file, "schedule.file");
    } else {
        checks.holds(!schedule.hasOwnOrder(), "schedule.family",
                     fmt::format("is {}, but {} has a custom schedule; leave one of the two out", schedule.family,
                                 customField(schedule)));
    }
}

void checkTraining(Checks &checks)
{
    const TrainingPlan &training = checks.experiment.training;
    checks.isChoice("training.backend");
    checks.inRange("training.steps");
    checks.isText(training.data, "training.data");
    checks.isChoice("training.optimizer.name");
    checks.rest("training.", Checks::Unused::Check);
    const std::optional<double> &clip = training.optimizer.clip;
    checks.holds(!clip || (*clip > 0 && std::isfinite(*clip)), "training.optimizer.clip",
                 fmt::format("is {:g}; choose more than 0, or null for none", clip.value_or(0)));
}

} // namespace

base::Problems validate(const Experiment &experiment)
{
    Checks checks(experiment);
    const ParallelPlan &plan = experiment.parallel;
    const bool soundModel = experiment.hasModel && checkModel(checks);
    checkMesh(checks);
    checkStages(checks);
    checks.rest("parallel.");
    if (soundModel && plan.microbatches >= 1 && plan.microbatchSize >= 1) {
        checkActivations(checks);
        checkLogits(checks);
    }
    checkFamily(experiment.schedule, checks);
    checks.rest("schedule.");
    std::visit(CostCheck{checks, experiment.hasModel, plan, experiment.model.dtype}, experiment.cost.source);
    checks.rest("cost.");
    checkTraining(checks);
    checkWhatIf(checks);
    checks.rest("what_if.");
    return checks.take();
}

} // namespace stagelens::model
