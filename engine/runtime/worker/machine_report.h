// The facts that a worker reports about its machine.
#pragma once

#include "engine/runtime/processes/packing.h"

#include <map>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// A machine, as its worker describes it.
struct MachineReport {
    /// What can train there.
    struct Backend {
        std::string name;
        std::string description;
        bool available = true;
        std::string reason; ///< why not
        friend bool operator==(const Backend &, const Backend &) = default;
    };
    std::string build; ///< the commit of its program
    int cores = 0;
    std::map<std::string, std::string> facts; ///< as for the record of a run: cpu, memory, host, ...
    std::vector<Backend> backends;
    std::string calibration; ///< the file of its calibrated hardware (model::clusterText()); empty: not calibrated
    friend bool operator==(const MachineReport &, const MachineReport &) = default;
};

void pack(Packer &packer, const MachineReport &machine);
/// Check isWhole() of the input before using it.
[[nodiscard]] MachineReport unpackMachine(Unpacker &packed);

} // namespace stagelens::runtime
