#include "engine/runtime/plan/lowering.h"

#include "engine/passes/recipe_book.h"
#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace stagelens::runtime {

using schedule::Pass;
using schedule::PassKind;

namespace {

/// Returns the copies of each device, whose passes have moved to `places`; empty: no pass has moved.
std::vector<std::vector<schedule::Copy>> loweredCopies(const schedule::Schedule &schedule,
                                                       const std::vector<std::vector<std::uint32_t>> &places)
{
    std::vector<std::vector<schedule::Copy>> all;
    for (int device = 0; device < schedule.devices(); ++device) {
        const auto copies = schedule.copies(device);
        for (schedule::Copy &copy : all.emplace_back(copies.begin(), copies.end())) {
            copy.offset = 0;
            if (places.empty())
                continue;
            const std::vector<std::uint32_t> &own = places[static_cast<std::size_t>(device)];
            copy.launch = own[copy.launch];
            copy.join = own[copy.join];
        }
    }
    return all;
}

} // namespace

schedule::Schedule lowered(const schedule::Schedule &schedule)
{
    if (!schedule::recipeBook(schedule.vocabulary()).hasBarrierInside(PassKind::S))
        return schedule.hasCopies() ? schedule.withCopies(loweredCopies(schedule, {})) : schedule;
    std::vector<std::vector<Pass>> orders;
    std::vector<std::vector<std::uint32_t>> places;
    for (int device = 0; device < schedule.devices(); ++device) {
        std::vector<Pass> &order = orders.emplace_back();
        std::vector<std::uint32_t> &place = places.emplace_back();
        for (const Pass &pass : schedule.device(device)) {
            place.push_back(static_cast<std::uint32_t>(order.size()));
            order.push_back(pass);
            if (pass.kind == PassKind::S)
                order.push_back(makePass(PassKind::T, pass.stage, pass.microbatch));
        }
    }
    const std::string_view apart = schedule::vocabularyLayer(model::name(schedule.vocabulary())).apart;
    const schedule::Schedule lowered =
        schedule::Schedule(schedule.family(), schedule.placement(), schedule.microbatches(),
                           model::parseVocabularyMethod(apart).value(), orders, schedule.weightUpdate())
            .asIterations(schedule.iterations());
    return schedule.hasCopies() ? lowered.withCopies(loweredCopies(schedule, places)) : lowered;
}

void joinOutputPasses(timeline::Timeline &timeline)
{
    for (timeline::Lane &lane : timeline.lanes) {
        timeline::Lane joined;
        joined.tailBegin = lane.tailBegin;
        joined.tailEnd = lane.tailEnd;
        joined.anchored = std::move(lane.anchored);
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (lane.pass[i].kind != PassKind::T) {
                joined.push(lane.pass[i], lane.begin[i], lane.end[i]);
                joined.vocabulary.push_back(lane.vocabulary[i]);
                if (!lane.processor.empty())
                    joined.processor.push_back(lane.processor[i]);
                continue;
            }
            joined.end.back() += lane.end[i] - lane.begin[i];
            joined.vocabulary.back() += lane.vocabulary[i];
            if (!lane.processor.empty())
                joined.processor.back() += lane.processor[i];
        }
        lane = std::move(joined);
    }
}

} // namespace stagelens::runtime
