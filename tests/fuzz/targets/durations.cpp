// Durations of passes as CSV, under a schedule with every kind of pass.
#include "engine/schedule/text_form.h"
#include "engine/simulate/costs/cost_model.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

const schedule::Schedule &plan()
{
    static const schedule::Schedule kPlan =
        schedule::scheduleFromText(
            "schedule zb-h1 devices 2 microbatches 1 vocabulary vocab-2\n0: F0 S0 T0 I0 W0\n1: F0 S0 T0 I0 W0\n")
            .value();
    return kPlan;
}

void run(std::string_view input)
{
    const auto costs = simulate::measuredCosts(input, "input", plan());
    if (!costs)
        return fuzz::requireMessage(costs.error());
    for (int device = 0; device < plan().devices(); ++device)
        for (int kind = 0; kind < schedule::kPassKindCount; ++kind)
            fuzz::require(costs->pass(device, static_cast<schedule::PassKind>(kind), device).duration >= 0,
                          "a duration is not negative");
}

fuzz::Seeds seeds()
{
    const std::string header = "device,stage,pass,duration_us\n";
    return {header + "0,0,F,100\n0,0,B,200.5\n*,*,I,3\n*,*,W,4\n*,*,S,1\n*,*,T,1\n",
            header + "*,*,*,1\n*,*,send,2\n*,*,c0,3\n",
            header + "0,0,FB,1\n",
            header + "-1,4294967296,F,1e308\n",
            header + "0,0,F," + fuzz::hostileMarkup() + "\n",
            fuzz::hostileMarkup()};
}

const fuzz::Registered kTarget{{"durations", run, seeds}};

} // namespace
