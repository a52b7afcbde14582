#include "engine/service/predictions/legs.h"

namespace stagelens::service {

base::Result<std::unique_ptr<simulate::PassLegs>> legsOf(const Prediction &prediction)
{
    const auto *preset = std::get_if<model::HardwarePreset>(&prediction.experiment.cost.source);
    if (preset == nullptr)
        return base::Error::invalid("cost", "gives durations of whole passes, without the operators inside them; choose "
                                            "cost.hardware");
    auto hardware = model::hardwareOf(*preset);
    if (!hardware)
        return std::move(hardware).error();
    return std::make_unique<simulate::PassLegs>(prediction.experiment, std::move(hardware).value(), *prediction.schedule);
}

} // namespace stagelens::service
