// The timeline of a stored run as bytes, and all that is done with what the reader accepts. The input is what follows the
// header, which is made right for it: a checksum keeps accidents out, but no attacker.
#include "engine/store/timeline_blob.h"
#include "engine/service/engine_service.h"
#include "tests/fuzz/consumers.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

constexpr std::size_t kHeaderBytes = 32;

void run(std::string_view input)
{
    if (const auto raw = store::decodeTimeline(input); !raw)
        fuzz::requireMessage(raw.error());
    const auto timeline = store::decodeTimeline(store::withChecksum(std::string(kHeaderBytes, '\0').append(input)));
    if (!timeline)
        return fuzz::requireMessage(timeline.error());
    const auto again = store::decodeTimeline(store::encodeTimeline(**timeline));
    fuzz::require(again.ok() && **again == **timeline, "a timeline comes back as it was written");
    fuzz::consume(*timeline);
}

fuzz::Seeds seeds()
{
    const auto prediction = service::predict(fuzz::smallExperiment(), 2);
    fuzz::require(prediction.ok(), "the fuzzers' plan can be predicted");
    timeline::Timeline timeline = *(*prediction)->timeline;
    fuzz::Seeds all;
    const auto add = [&all](const timeline::Timeline &one) { all.push_back(store::encodeTimeline(one).substr(kHeaderBytes)); };
    add(timeline);
    add({});
    timeline::Timeline extreme = timeline;
    extreme.lanes[0].end.back() = INT64_MAX;
    extreme.lanes[1].begin.front() = INT64_MIN;
    add(extreme);
    extreme = timeline;
    extreme.lanes[0].pass.back().stage = 65'535;
    extreme.lanes[1].pass.back().microbatch = INT32_MIN;
    add(extreme);
    extreme = timeline;
    extreme.stages = {{INT32_MAX, -1}};
    extreme.transfers = {{INT64_MIN, INT64_MAX, -5, 0, -1, schedule::Transfer::Statistics}};
    add(extreme);
    return all;
}

const fuzz::Registered kTarget{{"timeline_blob", run, seeds, 1000}};

} // namespace
