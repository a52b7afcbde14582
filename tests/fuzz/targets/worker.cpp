// What a worker process says: frames on a socket, and the values in them.
#include "engine/model/experiment_json.h"
#include "engine/runtime/processes/packed_timeline.h"
#include "engine/runtime/worker/machine_report.h"
#include "engine/runtime/worker/worker_link.h"
#include "engine/schedule/text_form.h"
#include "tests/fuzz/support.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

using namespace stagelens;
using runtime::Packer;
using runtime::Unpacker;

namespace {

/// The first byte chooses what the others are unpacked as.
enum class As : unsigned char { Frames, Outcome, Report, Run, Machine };
constexpr int kKinds = 5;

void readFrames(std::string_view content)
{
    static const fuzz::MemoryFile kFile;
    kFile.write(content);
    const int in = ::open(kFile.path().c_str(), O_RDONLY | O_CLOEXEC);
    runtime::WorkerLink link(in, -1);
    std::string before;
    (void)link.takeMark(before);
    ::lseek(in, 0, SEEK_SET);
    while (link.take()) {
    }
    ::close(in);
}

/// What consumers index and switch by.
void check(const runtime::StepReport &report)
{
    for (const timeline::Lane &lane : report.timeline->lanes) {
        fuzz::require(lane.end.size() == lane.size() && lane.pass.size() == lane.size(), "a slice has an end and a pass");
        for (const schedule::Pass &pass : lane.pass)
            fuzz::require(runtime::isPossible(pass), "a pass has a kind and a flag");
    }
    for (const timeline::TransferSlice &slice : report.timeline->transfers)
        fuzz::require(static_cast<int>(slice.transfer) < schedule::kTransferCount && slice.device >= 0 &&
                          slice.device < report.timeline->devices(),
                      "a transfer has a kind and a device");
    if (report.kernels != nullptr)
        for (const timeline::KernelSlice &slice : report.kernels->slices)
            fuzz::require(static_cast<std::size_t>(slice.name) < report.kernels->names.size(), "a kernel has a name");
}

void checkOutcome(const base::Result<> &outcome)
{
    if (!outcome)
        fuzz::require(outcome.error().kind <= base::ErrorKind::Cancelled && !outcome.error().problems.empty(),
                      "an error has a kind and a problem");
}

void run(std::string_view input)
{
    if (input.empty())
        return;
    const std::string_view content = input.substr(1);
    const auto as = static_cast<As>(static_cast<unsigned char>(input.front()) % kKinds);
    if (as == As::Frames)
        return readFrames(content);
    const auto bytes = std::as_bytes(std::span(content));
    const backend::Bytes frame(bytes.begin(), bytes.end());
    Unpacker packed(frame);
    if (as == As::Outcome)
        checkOutcome(runtime::unpackOutcome(packed));
    if (as == As::Report)
        if (const runtime::StepReport report = runtime::unpackReport(packed); packed.isWhole())
            check(report);
    if (as == As::Run)
        (void)runtime::unpackRun(packed);
    if (as == As::Machine)
        if (const runtime::MachineReport machine = runtime::unpackMachine(packed); packed.isWhole())
            fuzz::require(machine.cores > 0, "a machine has cores");
}

std::string seedOf(As as, Packer packer)
{
    const backend::Bytes bytes = packer.take();
    std::string seed(1, static_cast<char>(as));
    std::ranges::transform(bytes, std::back_inserter(seed), [](std::byte byte) { return static_cast<char>(byte); });
    return seed;
}

/// A report of two devices, with a change.
template <class Change>
std::string reportSeed(const Change &change)
{
    timeline::Timeline timeline;
    timeline.lanes.resize(2);
    timeline.lanes[0].push(schedule::makePass(schedule::PassKind::F, 0, 0), 0, 10);
    timeline.stages = {{0}, {1}};
    timeline.transfers = {{10, 12, 0, 0, 1, schedule::Transfer::Send}};
    timeline::KernelTrace kernels{{"gemm"}, {{0, 5, 0, 0}}};
    change(timeline, kernels);
    runtime::StepReport report;
    report.timeline = std::make_shared<const timeline::Timeline>(timeline);
    report.peakMemory = {{1, 2, 3, 4, 5, 6, 7}};
    report.facts["clocks"] = fuzz::hostileMarkup();
    report.kernels = std::make_shared<const timeline::KernelTrace>(kernels);
    report.routers = std::make_shared<const timeline::RouterStep>(timeline::RouterStep{0, {{{3, 1}, 0, 1.2, 2}, {}}});
    report.operators = std::make_shared<const timeline::OperatorTimes>(
        timeline::OperatorTimes{{0, schedule::PassKind::F, 0, {{fuzz::hostileMarkup(), 5, false}}}});
    Packer step;
    pack(step, report);
    return seedOf(As::Report, std::move(step));
}

fuzz::Seeds reportSeeds()
{
    using timeline::KernelTrace;
    using timeline::Timeline;
    return {reportSeed([](Timeline &, KernelTrace &) {}),
            reportSeed([](Timeline &timeline, KernelTrace &) { timeline.provenance = timeline::Provenance{99}; }),
            reportSeed([](Timeline &timeline, KernelTrace &) { timeline.lanes[0].pass[0].kind = schedule::PassKind{200}; }),
            reportSeed([](Timeline &timeline, KernelTrace &) { timeline.lanes[0].pass.clear(); }),
            reportSeed([](Timeline &timeline, KernelTrace &) { timeline.transfers[0].device = 2; }),
            reportSeed([](Timeline &, KernelTrace &kernels) { kernels.slices[0].name = 1; })};
}

fuzz::Seeds seeds()
{
    Packer outcome;
    pack(outcome, base::Result<>(base::Error::failed(fuzz::hostileMarkup(), "field")));
    Packer ofNoKind;
    pack(ofNoKind, base::Result<>(base::Error{base::ErrorKind{77}, {{"", "message"}}}));
    Packer plan;
    pack(plan, runtime::PackedRun{
                   model::Experiment{},
                   schedule::scheduleFromText("schedule 1f1b devices 1 microbatches 1 vocabulary none\n0: F0 B0\n").value(),
                   {},
                   false});
    Packer machine;
    pack(machine,
         runtime::MachineReport{"build", 4, {{"cpu", fuzz::hostileMarkup()}}, {{"cuda", "GPUs", false, "none"}}, "{}"});
    const fuzz::MemoryFile file;
    const int out = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    runtime::WorkerLink link(-1, out);
    (void)link.put(runtime::FrameType::Progress, {});
    std::string frames(64, '\0');
    frames.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(out, frames.data(), frames.size(), 0))));
    ::close(out);
    std::string huge = frames; // names 4 GiB that never come
    std::fill(huge.end() - 8, huge.end() - 4, '\xff');
    fuzz::Seeds all = reportSeeds();
    all.insert(all.end(), {seedOf(As::Outcome, std::move(outcome)), seedOf(As::Outcome, std::move(ofNoKind)),
                           seedOf(As::Run, std::move(plan)), seedOf(As::Machine, std::move(machine)),
                           std::string(1, static_cast<char>(As::Frames)) + frames + frames,
                           std::string(1, static_cast<char>(As::Frames)) + huge});
    return all;
}

const fuzz::Registered kTarget{{"worker", run, seeds}};

} // namespace
