// Fields of offload: which activations are copied to the host, over which link, and into how much memory.
#include "engine/model/names.h"
#include "engine/model/schema_row.h"

#include <cmath>

namespace stagelens::model {

namespace {

constexpr double kFastestHostLink = 1e6; // GB/s

std::string textOf(const OffloadChoice &choice)
{
    return choice.isAuto ? "auto" : choice.fraction > 0 ? base::concat(choice.fraction) : "none";
}

std::string setOffload(Experiment &experiment, const FieldValue &value)
{
    const std::string &word = std::get<std::string>(value);
    OffloadChoice choice;
    if (word == "auto") {
        choice.isAuto = true;
    } else if (word != "none") {
        const std::optional<double> fraction = base::parseNumber(word);
        if (!fraction)
            return unknownWord(word, {"none", "auto", "a fraction such as 0.5"});
        if (!(*fraction >= 0 && *fraction <= 1))
            return base::concat("is ", word, ", but a fraction is from 0 to 1; choose ", *fraction < 0 ? 0 : 1);
        choice.fraction = *fraction;
    }
    experiment.schedule.offload = choice;
    return {};
}

bool offloads(const Experiment &experiment)
{
    return experiment.schedule.offload.isOn();
}

} // namespace

std::vector<Field> offloadRows()
{
    return {
        row("schedule.offload", "--offload", "none|auto|FRACTION", "Offload",
            "activations that wait for their backward on the host: none; auto, those whose copies keep no pass waiting; or "
            "that "
            "part of each device's, from 0 to 1, those that wait longest first",
            Field::Kind::Choice)
            .by([](const Experiment &e) { return FieldValue(textOf(e.schedule.offload)); }, setOffload)
            .oneOf({{"none", "None", {}},
                    {"auto", "What is free", "As many activations as are copied without any pass waiting"},
                    {"0.5", "Half", "Half of each device's activations, even if passes wait for their copies"},
                    {"1", "All", "All activations that wait for others, even if passes wait for their copies"}})
            .unless(std::string("none")),
        row("schedule.offload_lanes", "--offload-lanes", "half|full", "Copies",
            "whether copies to the host and back take turns on the link of a device (half), or run at the same time (full)",
            Field::Kind::Choice, MEMBER(schedule.offloadLanes))
            .oneOf({{"half", "Take turns", "One lane a device for both directions"},
                    {"full", "Both directions at once", "A lane for each direction"}})
            .unless(std::string("half"))
            .where(offloads),
        row("schedule.host_bandwidth", "--host-bandwidth", "GB/s", "Link to the host (GB/s)",
            "of a device, each way (default: that of the hardware); the copies of a run are no faster", Field::Kind::Real,
            MEMBER(schedule.hostBandwidth))
            .range(1e-6, kFastestHostLink)
            .orElse("the hardware's")
            .unless()
            .where(offloads),
        row("schedule.host_memory", "--host-memory", "BYTES", "Host memory (GiB)",
            "of a node, such as 512GiB (default: that of the hardware); a plan whose copies need more is refused",
            Field::Kind::Bytes, MEMBER(schedule.hostMemory))
            .range(0, 9e15)
            .orElse("the hardware's")
            .unless()
            .where(offloads),
    };
}

} // namespace stagelens::model
