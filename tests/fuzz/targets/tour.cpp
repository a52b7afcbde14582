// Tours: text with plans, expressions and claims.
#include "ui/learn/tour.h"
#include "tests/fuzz/support.h"
#include "ui/learn/expression.h"

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    if (const auto claim = ui::Claim::parse(input); !claim)
        fuzz::requireMessage(claim.error());
    const auto tour =
        ui::parseTour(QString::fromUtf8(input.data(), static_cast<qsizetype>(input.size())), QStringLiteral("input"));
    if (!tour)
        return fuzz::requireMessage(tour.error());
    fuzz::require(!tour->steps.empty(), "a tour has a step");
}

fuzz::Seeds seeds()
{
    const std::string begin = "# Title\nA sentence.\n## Step\n";
    return {begin + "plan: devices 4, schedule zb-h1, costs F=1 B=2\nbeside: schedule gpipe\nchange: devices, microbatches\n"
                    "colour: microbatch\nfollow: 0\ncritical: yes\ncheck: bubble < 0.3; less than a third\n\nText {bubble} and "
                    "{iteration / other_iteration|factor}.\n",
            begin + "example: 1f1b\n\nText\n",
            begin + "plan: devices 1000000000, microbatches 1000000000\n\n" + fuzz::hostileMarkup() + "\n",
            begin + "check: " + std::string(50'000, '(') + "1" + std::string(50'000, ')') + " < 2; deep\n\nText\n",
            begin + "check: " + std::string(50'000, '-') + "1 < 2; deep\n\nText\n",
            begin + "\n{" + std::string(50'000, '(') + "}\n",
            "bubble < 0.3",
            "1/0 <= 2*(3-4)/other_iteration",
            std::string(100'000, '(') + " < 1",
            std::string(100'000, '-') + " < 1"};
}

const fuzz::Registered kTarget{{"tour", run, seeds, 200}};

} // namespace
