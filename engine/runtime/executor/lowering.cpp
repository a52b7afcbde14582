#include "engine/runtime/executor/lowering.h"

#include <vector>

namespace stagelens::runtime {

using schedule::Pass;
using schedule::PassKind;

schedule::Schedule lowered(const schedule::Schedule &schedule)
{
    if (!model::traits(schedule.vocabulary()).joinsSAndT)
        return schedule;
    std::vector<std::vector<Pass>> orders;
    for (int device = 0; device < schedule.devices(); ++device) {
        std::vector<Pass> &order = orders.emplace_back();
        for (const Pass &pass : schedule.device(device)) {
            order.push_back(pass);
            if (pass.kind == PassKind::S)
                order.push_back(makePass(PassKind::T, pass.stage, pass.microbatch));
        }
    }
    return {schedule.family(),      schedule.placement(), schedule.microbatches(), model::VocabularyMethod::Vocab1, orders,
            schedule.weightUpdate()};
}

void joinOutputPasses(timeline::Timeline &timeline)
{
    for (timeline::Lane &lane : timeline.lanes) {
        timeline::Lane joined;
        joined.tailBegin = lane.tailBegin;
        joined.tailEnd = lane.tailEnd;
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (lane.pass[i].kind != PassKind::T) {
                joined.push(lane.pass[i], lane.begin[i], lane.end[i]);
                joined.vocabulary.push_back(lane.vocabulary[i]);
                continue;
            }
            joined.end.back() += lane.end[i] - lane.begin[i];
            joined.vocabulary.back() += lane.vocabulary[i];
        }
        lane = std::move(joined);
    }
}

} // namespace stagelens::runtime
