// Straggler traces in CSV form, and the analysis of the jobs in them.
#include "engine/exchange/stragglers/straggler_trace.h"
#include "engine/simulate/stragglers/straggler_report.h"
#include "tests/fuzz/support.h"

#include <cmath>

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    const auto trace = exchange::importStragglers(exchange::TraceText{"input", input});
    if (!trace)
        return fuzz::requireMessage(trace.error());
    const simulate::MeasuredJob &job = trace->job;
    fuzz::require(!job.steps.empty() && trace->steps.size() == job.steps.size(), "a job has a timeline of each step");
    fuzz::require(job.durations.size() == job.steps.size() * static_cast<std::size_t>(job.replicas) * job.entries.size(),
                  "every operation has a duration");
    for (const double duration : job.durations)
        fuzz::require(std::isfinite(duration) && duration >= 0, "a duration is a number from 0");
    const auto report = simulate::analyseStragglers(job);
    fuzz::require(report.ok(), "a validated schedule can be replayed");
    fuzz::require(std::isfinite(report->actual) && std::isfinite(report->ideal) && report->slowdown >= 0,
                  "steps have a length");
}

fuzz::Seeds seeds()
{
    const std::string header = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,gmc,mb_id\n";
    const auto row = [](int replica, int stage, const std::string &operation, const std::string &start,
                        const std::string &duration, const std::string &microbatch) {
        return std::to_string(replica) + "," + std::to_string(stage) + ",0,3," + operation + "," + start + "," + duration +
               ",0,0,," + microbatch + "\n";
    };
    std::string one = header;
    for (const int replica : {0, 1}) {
        one += row(replica, 0, "params-all-gather", "1700000000", "0.5", "");
        one += row(replica, 0, "forward-compute", "1700000001", "1", "0.0");
        one += row(replica, 0, "forward-send", "1700000002", "0.1", "");
        one += row(replica, 1, "forward-recv", "1700000000", "2.1", "");
        one += row(replica, 1, "forward-compute", "1700000002.1", "1", "0.0");
        one += row(replica, 1, "backward-compute", "1700000003.1", "2", "0.0");
        one += row(replica, 0, "backward-compute", "1700000005.1", "2e0", "0.0");
        one += row(replica, 0, "grads-reduce-scatter", "1700000007.1", "1", "");
        one += row(replica, 0, "separate-grads-all-reduce", "1700000008.1", "1", "");
        one += row(replica, 0, "embedding-grads-all-reduce", "1700000009.1", "1", "");
        one += row(replica, 1, "embedding-grads-all-reduce", "1700000009", "1.1", "");
        one += row(replica, 0, "optimizer", "1700000010.1", "0.25", "");
    }
    return {one, "step,stage,dp_rank,op,start,duration,microbatch\n0,0,0,forward-compute,0,1,0\n0,0,0,backward-compute,1,1,0\n",
            header + row(1023, 1022, "forward-compute", "3e9", "86400", "999999"),
            header + row(0, 0, "forward-compute", "nan", "-1", "1e9") + row(0, 0, fuzz::hostileMarkup(), "0", "inf", ""),
            "dp_rank,stage,step,optype,start_ts,duration,mb_id,gmc\n0,0,0,forward-compute,0,1,0,64510\n"
            "0,0,0,backward-compute,1,1,0,64510\n"};
}

const fuzz::Registered kTarget{{"stragglers", run, seeds}};

} // namespace
