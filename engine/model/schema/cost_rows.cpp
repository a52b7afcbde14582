#include "engine/model/schema/row.h"

namespace stagelens::model {

namespace {

/// The source's value as a field where the costs come from it, else absent.
template <class Source, auto Member>
FieldValue ofSource(const Experiment &experiment)
{
    const auto *source = std::get_if<Source>(&experiment.cost.source);
    return source != nullptr ? valueOf(source->*Member) : FieldValue();
}
template <class Source>
std::string setSource(Experiment &experiment, const FieldValue &value)
{
    experiment.cost.source = Source{std::get<std::string>(value)};
    return {};
}

} // namespace

std::vector<Field> costRows()
{
    using Kind = Field::Kind;
    return {
        row("cost.hardware", "--hardware", "PRESET|FILE", "Costs for",
            "whose speed the prediction assumes: see `list hardware`; or the file of a cluster, as `hardware` writes it",
            by(ofSource<HardwarePreset, &HardwarePreset::name>, setSource<HardwarePreset>), as(Kind::Choice),
            omittedAt(FieldValue()), sweep({"a100-80gb, h100-sxm, h200, b200", 10, true})),
        row("cost.uniform", "--uniform", "F=1,B=2,...", "Durations",
            "milliseconds of each pass of one stage: F B I W S T U EF EB, of messages: send c0 c1 c2",
            by(ofSource<UniformCosts, &UniformCosts::milliseconds>,
               [](Experiment &e, const FieldValue &value) {
                   const auto *before = std::get_if<UniformCosts>(&e.cost.source);
                   const UniformPer per = before != nullptr ? before->per : UniformPer::Stage;
                   e.cost.source = UniformCosts{std::get<std::map<std::string, double>>(value), per};
                   return std::string();
               }),
            as(Kind::Times), omittedAt(FieldValue())),
        row("cost.per", "--uniform-per", "WHAT", "Durations of",
            "stage (each chunk takes the time given) or device (each of v chunks takes 1/v)",
            by(ofSource<UniformCosts, &UniformCosts::per>,
               [](Experiment &e, const FieldValue &value) {
                   auto *uniform = std::get_if<UniformCosts>(&e.cost.source);
                   return uniform != nullptr ? put(value, uniform->per)
                                             : std::string("is of uniform costs, and there are none; leave it out");
               }),
            as(Kind::Choice),
            oneOf({{"device", "A device's share", "Each of v chunks takes 1/v: the work stays the same"},
                   {"stage", "Each chunk", "With v chunks a device has v times the work"}}),
            omittedAt(valueOf(UniformPer::Stage)), where(kHasCosts<UniformCosts>)),
        row("cost.durations", "--durations", "FILE", "Durations file", "CSV with the header device,stage,pass,duration_us",
            by(ofSource<DurationsFile, &DurationsFile::file>, setSource<DurationsFile>), as(Kind::File),
            omittedAt(FieldValue()), where(kHasCosts<DurationsFile>)),
        row("cost.collectives", "--collectives", "HOW", "Collectives",
            "whether collectives run beside the passes or keep the devices waiting: overlapped or blocking",
            MEMBER(cost.collectives), oneOf({{"overlapped", "Overlap with passes"}, {"blocking", "Block the devices"}}),
            omitted()),
    };
}

} // namespace stagelens::model
