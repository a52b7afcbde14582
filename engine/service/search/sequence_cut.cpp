#include "engine/service/search/sequence_cut.h"

#include "engine/model/family_shape.h"
#include "engine/operators/cuts.h"
#include "engine/operators/slices.h"
#include "engine/simulate/model_units.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace stagelens::service {
namespace {

constexpr int kMostUnits = 64; ///< of a sequence: TeraPipe's program takes a high power of their number

/// Returns the tokens of the shortest unit of which a sequence has not too many; the last may be shorter.
int unitOf(int sequence)
{
    return (sequence + kMostUnits - 1) / kMostUnits;
}

/// Returns the lengths of a sequence in slices, as the families that cut sequences cut it.
std::vector<int> lengthsOf(model::Experiment plan, int slices, model::SliceCut cut)
{
    plan.schedule.family = "seq1f1b";
    plan.schedule.sequenceSlices = slices;
    plan.schedule.sliceCut = cut;
    return operators::sliceLengths(plan);
}

} // namespace

std::string_view name(SequenceCutKind kind)
{
    constexpr std::array<std::string_view, 5> kNames{"whole", "length", "work", "at-most", "least"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<SequenceCuts> sequenceCuts(const model::Experiment &plan, const model::Hardware &hardware)
{
    if (plan.schedule.attention != model::Attention::Flash || plan.parallel.context > 1)
        return std::nullopt;
    const int sequence = plan.model.sequence;
    SequenceCuts found{.stages = plan.parallel.devices, .unit = unitOf(sequence), .cuts = {}};
    const simulate::SliceTimes times(plan, hardware);
    const auto onStage = [&](int tokens, int before) { return times.seconds(tokens, before) / found.stages; };
    const auto cutOf = [&](SequenceCutKind kind, std::vector<int> tokens) {
        SequenceCut cut{kind, std::move(tokens), {}, 0};
        int before = 0;
        for (const int each : cut.tokens) {
            cut.seconds.push_back(onStage(each, before));
            before += each;
        }
        cut.total =
            std::accumulate(cut.seconds.begin(), cut.seconds.end(), 0.0) + (found.stages - 1) * std::ranges::max(cut.seconds);
        return cut;
    };
    const auto teraPipe = [&](SequenceCutKind kind, int most) {
        const auto tokenAt = [&](int unit) { return std::min(unit * found.unit, sequence); };
        const operators::PartCut cut = operators::teraPipeCut(
            (sequence + found.unit - 1) / found.unit, found.stages,
            [&](int length, int before) { return onStage(tokenAt(before + length) - tokenAt(before), tokenAt(before)); }, most);
        std::vector<int> tokens;
        int units = 0;
        for (const int size : cut.sizes) {
            tokens.push_back(tokenAt(units + size) - tokenAt(units));
            units += size;
        }
        return cutOf(kind, std::move(tokens));
    };
    SequenceCut least = teraPipe(SequenceCutKind::Least, 0);
    found.slices = model::cutsSequences(plan.schedule.family) ? std::min(model::slicesOf(plan.schedule), sequence)
                                                              : static_cast<int>(least.tokens.size());
    found.cuts.push_back(cutOf(SequenceCutKind::Whole, {sequence}));
    if (found.slices > 1) {
        found.cuts.push_back(cutOf(SequenceCutKind::EqualLength, lengthsOf(plan, found.slices, model::SliceCut::Length)));
        found.cuts.push_back(cutOf(SequenceCutKind::EqualWork, lengthsOf(plan, found.slices, model::SliceCut::Work)));
        if (found.slices < std::ssize(least.tokens))
            found.cuts.push_back(teraPipe(SequenceCutKind::LeastOfFew, found.slices));
    }
    found.cuts.push_back(std::move(least));
    return found;
}

} // namespace stagelens::service
