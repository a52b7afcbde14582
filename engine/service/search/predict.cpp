#include "engine/service/search/predict.h"

namespace stagelens::service {

base::Result<PredictionPtr> predict(const model::Experiment &experiment, int cores, const SearchOptions &options)
{
    auto chosen = withChosenSchedule(experiment, Purpose::Predict, options);
    if (!chosen)
        return std::move(chosen).error();
    auto prediction = predictionOf(chosen->experiment, cores, options.stop);
    if (!prediction)
        return std::move(prediction).error();
    (*prediction)->search = std::move(chosen->search);
    return PredictionPtr(*std::move(prediction));
}

} // namespace stagelens::service
