#include "engine/base/text.h"
#include "engine/exchange/timeline_json.h"
#include "engine/model/names.h"

namespace stagelens::exchange {
namespace {

using base::Result;

/// "2B5": stage, action, microbatch.
Result<std::string> torchAction(const schedule::Pass &pass, int device)
{
    using schedule::PassKind;
    if (pass.kind != PassKind::F && pass.kind != PassKind::B && pass.kind != PassKind::I && pass.kind != PassKind::W)
        return base::Error::invalid(
            "schedule.vocabulary",
            base::concat("device ", device, " has pass ", schedule::text(pass),
                         ", which PyTorch's schedule CSV has no letter for; export a schedule with vocabulary "
                         "none or redis, or choose csv or json"));
    return std::to_string(pass.stage) + std::string(schedule::name(pass.kind)) + std::to_string(pass.microbatch);
}

} // namespace

std::string timelineCsv(const timeline::Timeline &timeline)
{
    std::string csv = "device,pass,stage,microbatch,begin_ns,end_ns,vocabulary_ns\n";
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
        const timeline::Lane &lane = timeline.lanes[device];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const schedule::Pass &pass = lane.pass[i];
            const auto cell = [&](std::int64_t value) { csv += ',' + std::to_string(value); };
            csv += std::to_string(device) + ',';
            csv += schedule::name(pass.kind);
            cell(pass.stage);
            cell(pass.microbatch);
            cell(lane.begin[i]);
            cell(lane.end[i]);
            if (schedule::isVocabularyPass(pass.kind))
                cell(lane.end[i] - lane.begin[i]);
            else if (i < lane.vocabulary.size())
                cell(lane.vocabulary[i]);
            else
                csv += ','; // unknown
            csv += '\n';
        }
    }
    return csv;
}

Result<std::string> torchCsv(const schedule::Schedule &schedule)
{
    std::string csv;
    for (int device = 0; device < schedule.devices(); ++device) {
        const auto passes = schedule.device(device);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const auto action = torchAction(passes[i], device);
            if (!action)
                return action.error();
            csv += i > 0 ? "," : "";
            if (!passes[i].pairedWithNext || i + 1 == passes.size()) {
                csv += *action;
                continue;
            }
            const auto partner = torchAction(passes[++i], device);
            if (!partner)
                return partner.error();
            csv += '(' + *action + ';' + *partner + ")OVERLAP_F_B";
        }
        csv += '\n';
    }
    return csv;
}

} // namespace stagelens::exchange
