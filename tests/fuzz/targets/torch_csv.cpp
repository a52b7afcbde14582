// PyTorch's schedule CSV.
#include "engine/exchange/torch_csv.h"
#include "engine/schedule/check/validator.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

constexpr std::size_t kMostChecked = 20'000;

void run(std::string_view input)
{
    const auto csv = exchange::readTorchCsv(input);
    if (!csv)
        return fuzz::requireMessage(csv.error());
    const auto again = exchange::readTorchCsv(exchange::writeTorchCsv(*csv));
    fuzz::require(again.ok() && again->ranks == csv->ranks, "a CSV comes back as it was written");
    const auto schedule = exchange::scheduleOf(*csv);
    if (!schedule)
        return fuzz::requireMessage(schedule.error());
    if (schedule->passCount() <= kMostChecked)
        (void)schedule::findViolations(*schedule);
    (void)exchange::cellOf(*csv, 0, 0);
    (void)exchange::torchCsvOf(*schedule);
}

fuzz::Seeds seeds()
{
    return {"0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n",
            "0F0,,0I0,0W0\r\n,1F0,1I0,1W0\r\n",
            "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n",
            "0UNSHARD,0F0,0BW0,0REDUCE_GRAD,0RESHARD\n",
            "(0F0;1B0)OVERLAP_F_B,0F1\n\"1F0\",(0F7;7B3)OVERLAP_F_B\n",
            "\"0F0\",\"0B0\"\n",
            "65535F2147483647\n99999999999F99999999999\n",
            "0F0," + fuzz::hostileMarkup() + "\n",
            "0F0" + std::string(100'000, ',') + "0B0\n"};
}

const fuzz::Registered kTarget{{"torch_csv", run, seeds, 500}};

} // namespace
