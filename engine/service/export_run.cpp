#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/exchange/timeline_json.h"
#include "engine/service/engine_service.h"

#include <nlohmann/json.hpp>

namespace stagelens::service {

base::Result<> exportRun(const store::RunRecord &run, const std::string &format, const std::filesystem::path &file)
{
    if (!run.timeline || !run.metrics)
        return base::Error::failed(
            base::concat("run ", run.summary.id, " has no finished step, so there is nothing to export"));
    if (format == "csv")
        return base::writeFile(file, exchange::timelineCsv(*run.timeline));
    const auto explanation = explain(run.experiment, *run.timeline);
    const simulate::Explanation *why = explanation ? &*explanation : nullptr;
    if (format == "chrome-trace")
        return base::writeFile(file, exchange::chromeTrace(*run.timeline, {.explanation = why}));
    if (format == "json")
        return base::writeFile(file, exchange::timelineDocument(run.experiment, *run.timeline, *run.metrics, true, why)
                                             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                                         '\n');
    return base::Error::invalid("format", base::concat("is ", format, "; choose chrome-trace, csv or json"));
}

} // namespace stagelens::service
