#include "app/cli/output.h"

#include "engine/store/own_files.h"
#include "engine/store/run_store.h"

namespace stagelens::cli {

base::Result<> requireOutput(const std::string &output, const std::string &database)
{
    if (output.empty() || output == "-")
        return {};
    return store::requireForeign(output, database.empty() ? store::RunStore::defaultFile() : std::filesystem::path(database));
}

} // namespace stagelens::cli
