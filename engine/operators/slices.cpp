#include "engine/operators/slices.h"

#include "engine/model/family_shape.h"
#include "engine/operators/sizes.h"

#include <algorithm>
#include <cmath>

namespace stagelens::operators {

namespace {

/// The forward FLOPs of a layer for the first x tokens of a sequence: linear x + quadratic x^2.
struct CausalWork {
    double linear = 0;
    double quadratic = 0;

    explicit CausalWork(const model::ModelConfig &model)
    {
        const double tokens = model.sequence;
        linear = layerMatrixFlops(model, 1) / tokens;
        quadratic = attentionFlops(model, 1) / (2 * tokens * tokens); // half of all pairs
    }
    [[nodiscard]] double upTo(double token) const { return (linear + quadratic * token) * token; }
    /// Returns the token up to which there is so much work.
    [[nodiscard]] double tokenAt(double work) const
    {
        // The usual formula (-b + sqrt(b^2 + 4 a c)) / 2 a, without the difference of two large numbers.
        return 2 * work / (linear + std::sqrt(linear * linear + 4 * quadratic * work));
    }
};

} // namespace

std::vector<int> sliceLengths(const model::Experiment &experiment)
{
    const int sequence = experiment.model.sequence;
    const int slices = model::slicesOf(experiment.schedule);
    const CausalWork work(experiment.model);
    std::vector<int> lengths;
    int begin = 0;
    for (int slice = 1; slice <= slices; ++slice) {
        const double share = static_cast<double>(slice) / slices;
        const double cut = experiment.schedule.sliceCut == model::SliceCut::Length ? share * sequence
                                                                                   : work.tokenAt(share * work.upTo(sequence));
        const int end = std::clamp(static_cast<int>(std::lround(cut)), begin + 1, sequence - (slices - slice));
        lengths.push_back(end - begin);
        begin = end;
    }
    return lengths;
}

std::vector<SliceShare> sliceShares(const model::Experiment &experiment)
{
    const auto slices = static_cast<std::size_t>(model::slicesOf(experiment.schedule));
    if (!experiment.hasModel) {
        const double each = 1.0 / static_cast<double>(slices);
        return std::vector<SliceShare>(slices, {each, each, each});
    }
    const CausalWork work(experiment.model);
    const double sequence = experiment.model.sequence;
    std::vector<SliceShare> shares;
    double begin = 0;
    for (const int length : sliceLengths(experiment)) {
        const double end = begin + length;
        shares.push_back({length / sequence, (end * end - begin * begin) / (sequence * sequence),
                          (work.upTo(end) - work.upTo(begin)) / work.upTo(sequence)});
        begin = end;
    }
    return shares;
}

} // namespace stagelens::operators
