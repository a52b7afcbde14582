// Measured collectives from the output of nccl-tests (NVIDIA/nccl-tests, all_reduce_perf and its siblings).
#pragma once

#include "engine/base/result.h"
#include "engine/model/hardware.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

/// Figures that the output does not contain, or that replace its own.
struct NcclTestsOptions {
    std::optional<model::Collective> operation; ///< of versions before 2.17, which do not name their program
    std::optional<int> ranks;
    std::optional<int> nodes;
};

struct NcclTests {
    std::vector<model::CollectiveTable> tables; ///< at least one; one for each operation, ranks and nodes
    std::vector<std::string> remarks;           ///< what was left out, and why
};

/// Reads the output of one or several tests in one file, with the prefixes of mpirun and srun before its lines. Times are those
/// of the out-of-place operation; of a size that was measured several times, the shortest. Ranks and nodes are those of the
/// lines "Rank ... on HOST". Fails with InvalidInput, cause and remedy.
[[nodiscard]] base::Result<NcclTests> readNcclTests(std::string_view text, const std::string &source,
                                                    const NcclTestsOptions &options = {});

/// Replaces the tables of the same operation, ranks and nodes, and adds the others.
void takeTables(model::Hardware &hardware, const std::vector<model::CollectiveTable> &tables);

} // namespace stagelens::exchange
