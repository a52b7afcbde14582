#include "engine/runtime/worker/machine_report.h"

namespace stagelens::runtime {

void pack(Packer &packer, const MachineReport &machine)
{
    packer.put(machine.build);
    packer.put(machine.cores);
    packer.put(machine.facts.size());
    for (const auto &[name, text] : machine.facts) {
        packer.put(name);
        packer.put(text);
    }
    packer.put(machine.backends.size());
    for (const MachineReport::Backend &backend : machine.backends) {
        packer.put(backend.name);
        packer.put(backend.description);
        packer.put(backend.available);
        packer.put(backend.reason);
    }
    packer.put(machine.calibration);
}

MachineReport unpackMachine(Unpacker &packed)
{
    MachineReport machine;
    machine.build = packed.text();
    machine.cores = packed.value<int>();
    packed.require(machine.cores > 0);
    for (auto count = packed.count(2 * sizeof(std::size_t)); count > 0; --count) {
        std::string name = packed.text();
        machine.facts[std::move(name)] = packed.text();
    }
    machine.backends.resize(packed.count(3 * sizeof(std::size_t) + 1));
    for (MachineReport::Backend &backend : machine.backends) {
        backend.name = packed.text();
        backend.description = packed.text();
        backend.available = packed.value<bool>();
        backend.reason = packed.text();
    }
    machine.calibration = packed.text();
    return machine;
}

} // namespace stagelens::runtime
