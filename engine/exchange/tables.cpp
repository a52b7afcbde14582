#include "engine/exchange/timeline_json.h"

namespace stagelens::exchange {
std::string timelineCsv(const timeline::Timeline &timeline)
{
    std::string csv = "device,pass,stage,microbatch,begin_ns,end_ns,vocabulary_ns";
    csv += timeline.slices > 1 ? ",sequence_slice" : "";
    const bool hasVersions = timeline.iterations > 1 && !timeline.weightVersions.empty();
    csv += timeline.iterations > 1 ? ",iteration" : "";
    csv += hasVersions ? ",weight_version\n" : "\n";
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
        const timeline::Lane &lane = timeline.lanes[device];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const schedule::Pass &pass = lane.pass[i];
            const auto cell = [&](std::int64_t value) { csv += ',' + std::to_string(value); };
            csv += std::to_string(device) + ',';
            csv += schedule::name(pass.kind);
            cell(pass.stage);
            cell(pass.microbatch / timeline.slices);
            cell(lane.begin[i]);
            cell(lane.end[i]);
            if (schedule::isVocabularyPass(pass.kind))
                cell(lane.end[i] - lane.begin[i]);
            else if (i < lane.vocabulary.size())
                cell(lane.vocabulary[i]);
            else
                csv += ','; // unknown
            if (timeline.slices > 1)
                cell(pass.microbatch % timeline.slices);
            if (timeline.iterations > 1)
                cell(timeline.stepOf(pass));
            if (hasVersions)
                cell(timeline.weightVersionOf(pass).value_or(0));
            csv += '\n';
        }
    }
    return csv;
}

} // namespace stagelens::exchange
