#include "ui/state/order_edit.h"

#include "ui/words/words.h"

namespace stagelens::ui {

base::Result<model::Experiment> withMove(const model::Experiment &experiment, const schedule::Schedule &order,
                                         const service::PassMove &move)
{
    const auto moved = service::withMovedPass(order, move);
    if (!moved)
        return moved.error();
    return service::withScheduleText(experiment, service::customText(*moved));
}

QString moveRefusal(const schedule::Schedule &order, const service::PassMove &move)
{
    const auto moved = service::withMovedPass(order, move);
    return moved ? QString() : sentence(moved.error());
}

} // namespace stagelens::ui
