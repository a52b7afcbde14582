#include "engine/service/machine/environment.h"

#include "engine/base/text.h"
#include "engine/runtime/machine/processor.h"

#include "commit.h"

#include <fmt/format.h>
#include <sys/utsname.h>

namespace stagelens::service {

int machineCores()
{
    return runtime::coreCount();
}

std::map<std::string, std::string> environment()
{
    std::map<std::string, std::string> facts;
    facts["cpu"] = runtime::processorName();
    facts["cores"] = std::to_string(machineCores());
    facts["memory"] = base::bytesText(runtime::installedBytes());
    facts["blas"] = runtime::blasDescription();
    facts["vectors"] = runtime::vectorInstructions();
    facts["compiler"] = "g++ " __VERSION__;
    facts["commit"] = STAGELENS_COMMIT;
    if (utsname system{}; ::uname(&system) == 0) {
        facts["host"] = system.nodename;
        facts["system"] = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
    }
    return facts;
}

} // namespace stagelens::service
