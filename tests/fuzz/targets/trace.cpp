// Chrome and Kineto traces, and what is done with the steps in them.
#include "engine/exchange/timeline_json.h"
#include "engine/exchange/trace_import.h"
#include "tests/fuzz/consumers.h"
#include "tests/fuzz/support.h"

#include <array>

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    const std::array<exchange::TraceText, 1> files{{{"input", input}}};
    const auto trace = exchange::importTrace(files);
    if (!trace)
        return fuzz::requireMessage(trace.error());
    fuzz::require(!trace->steps.empty(), "an imported trace has a step");
    for (const timeline::Timeline &step : trace->steps)
        fuzz::consume(std::make_shared<const timeline::Timeline>(step));
}

std::string event(const std::string &name, const std::string &process, const std::string &begin, const std::string &length)
{
    return R"({"ph":"X","name":")" + name + R"(","pid":)" + process + R"(,"tid":0,"ts":)" + begin + R"(,"dur":)" + length + "}";
}

fuzz::Seeds seeds()
{
    const std::string one = event("PP:0F0", "0", "0", "10") + "," + event("PP:0B0", "0", "30.5", "20") + "," +
                            event("PP:1F0", "1", "10", "10") + "," + event("PP:1B0", "1", "20", "1.05e1");
    return {"{\"traceEvents\":[" + one + "]}",
            "[" + one + "]",
            "[" + event("## PP:0F0 ##", "\"a\"", "0", "1") + "," + event("PP:0B0", "\"a\"", "1", "1") + "," +
                event("PP:0F0", "\"a\"", "2", "1") + "," + event("PP:0B0", "\"a\"", "3", "1") + "]",
            "[" + event("PP:4095F999999", "0", "3.1e15", "3.1e15") + "," + event("PP:0F0", "0", "-1", "1") + "]",
            "[" + event("PP:0F0" + fuzz::hostileMarkup(), "0", "0", "1") + "]",
            "{\"traceEvents\":[{\"name\":\"PP:0F0\",\"args\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}]}"};
}

const fuzz::Registered kTarget{{"trace", run, seeds, 1000}};

} // namespace
