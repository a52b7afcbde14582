#include "ui/state/scaled_copy.h"

#include "engine/operators/sizes.h"
#include "engine/service/plans/training_check.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::ui {

namespace {

constexpr std::array kWidths{256, 192, 128, 96, 64, 32};
constexpr int kHeadWidth = 32;
constexpr int kShortestSequence = 16;
/// Byte-level tokens need so many.
constexpr int kSmallestVocabulary = 256;
constexpr int kVocabularyStep = 32;
/// A few seconds a step on a workstation's cores.
constexpr double kMostFlops = 1e11;

int rounded(double value, int step, int least)
{
    return std::max(static_cast<int>(std::lround(value / step)) * step, least);
}

double layerFlops(const model::ModelConfig &model)
{
    return operators::layerMatrixFlops(model, 1) + operators::attentionFlops(model, 1);
}

/// As wide as asked, and everything that hangs on the width in proportion.
model::ModelConfig narrowed(const model::ModelConfig &model, int hidden)
{
    const double scale = static_cast<double>(hidden) / model.hidden;
    const double inner = static_cast<double>(model.ffn) / model::defaultFfn(model.family, model.hidden);
    model::ModelConfig copy = model;
    copy.preset = "custom";
    copy.family = model::ModelFamily::Gpt;
    copy.dtype = model::DataType::Fp32;
    copy.hidden = hidden;
    copy.heads = hidden == model.hidden ? model.heads : hidden / kHeadWidth;
    copy.kvHeads = copy.heads;
    copy.headDim.reset();
    if (model.vocabularyWidth)
        copy.vocabularyWidth = std::clamp(static_cast<int>(std::lround(*model.vocabularyWidth * scale)), 1, hidden);
    copy.ffn = std::max(1, static_cast<int>(std::lround(model::defaultFfn(copy.family, hidden) * inner)));
    copy.sequence = hidden == model.hidden ? model.sequence : rounded(model.sequence * scale, 8, kShortestSequence);
    // The output layer's FLOPs grow with the vocabulary and nothing else that is still open.
    const double wanted = operators::outputFlops(model, 1) / layerFlops(model) * layerFlops(copy);
    copy.vocabularySize = rounded(wanted * model.vocabularySize / operators::outputFlops(model, 1) * model.sequence /
                                      copy.sequence * model.hidden / hidden,
                                  kVocabularyStep, kSmallestVocabulary);
    if (model.sampledWords)
        copy.sampledWords =
            std::max(1, static_cast<int>(std::int64_t{*model.sampledWords} * copy.vocabularySize / model.vocabularySize));
    int before = 0;
    for (int &cut : copy.adaptiveCutoffs) // as large a part of the words
        before = cut = std::max(before + 1, static_cast<int>(std::int64_t{cut} * copy.vocabularySize / model.vocabularySize));
    return copy;
}

} // namespace

double vocabularyRatio(const model::Experiment &experiment)
{
    const double layersOfDevice = static_cast<double>(experiment.model.layers) / experiment.parallel.devices;
    return operators::outputFlops(experiment.model, 1) / (layerFlops(experiment.model) * layersOfDevice);
}

std::optional<model::Experiment> scaledCopy(const model::Experiment &experiment, base::Bytes available)
{
    if (!experiment.hasModel || !model::validate(experiment).empty())
        return std::nullopt;
    std::vector<int> widths{experiment.model.hidden};
    std::copy_if(kWidths.begin(), kWidths.end(), std::back_inserter(widths),
                 [&](int width) { return width < experiment.model.hidden; });
    for (const int width : widths) {
        model::Experiment copy = experiment;
        copy.model = narrowed(experiment.model, width);
        copy.cost.source = model::HardwarePreset{};
        copy.training.backend = "cpu";
        copy.training.mode.reset();
        if (copy.training.data.ends_with(".bin") && copy.model.vocabularySize != experiment.model.vocabularySize)
            copy.training.data = "synthetic"; // its tokens are those of the larger vocabulary
        if (operators::iterationFlops(copy) > kMostFlops && width != widths.back())
            continue;
        if (const base::Bytes needed = service::bytesToTrain(copy); needed > 0 && (available == 0 || needed <= available))
            return copy;
    }
    return std::nullopt;
}

} // namespace stagelens::ui
