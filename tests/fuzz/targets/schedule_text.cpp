// Schedules in Stagelens' text form, and what a validator says of whatever was accepted.
#include "engine/exchange/schedule_file.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/text_form.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

constexpr std::size_t kMostChecked = 20'000;

void run(std::string_view input)
{
    const auto file = exchange::readSchedule(input);
    if (!file)
        fuzz::requireMessage(file.error());
    const auto schedule = schedule::scheduleFromText(input);
    if (!schedule)
        return fuzz::requireMessage(schedule.error());
    const auto again = schedule::scheduleFromText(schedule::toText(*schedule));
    fuzz::require(again.ok() && *again == *schedule, "a schedule comes back as it was written");
    if (schedule->passCount() <= kMostChecked)
        for (const schedule::Violation &violation : schedule::findViolations(*schedule))
            fuzz::require(violation.device >= 0 && violation.device < schedule->devices(), "a violation has its device");
}

fuzz::Seeds seeds()
{
    return {"schedule 1f1b devices 2 microbatches 2 vocabulary none\n0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n",
            "schedule zb-h1 devices 2 microbatches 2 vocabulary vocab-2\n0: F0 S0 T0 I0 W0 F1 S1 T1 I1 W1\n1: F0 S0 T0 I0 W0\n",
            "# remark\n\nschedule v devices 2 microbatches 1 placement 0,1,1,0\n0: F0 F0@3 B0@3+ B0\n1: F0@1 F0@2 B0@2 B0@1\n",
            "schedule x devices 2 microbatches 4 placement 0,1/1,0 microbatch-replicas 0101\n0: F0\n1: F1\n",
            "schedule p devices 1 microbatches 2 updates each-microbatch\n0: F0 B0 F1 B1\n",
            "schedule big devices 65535 microbatches 1000000\n0: F999999\n",
            "schedule big devices 1 microbatches 2147483648\n0: F2147483648@65536\n",
            "schedule " + fuzz::hostileMarkup() + " devices 1 microbatches 1\n0: " + fuzz::hostileMarkup() + "\n"};
}

const fuzz::Registered kTarget{{"schedule_text", run, seeds}};

} // namespace
