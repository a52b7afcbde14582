// What a worker process says: frames on a socket, and the values in them.
#include "engine/model/experiment_json.h"
#include "engine/runtime/worker_link.h"
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
enum class As : unsigned char { Frames, Outcome, Report, Run };
constexpr int kKinds = 4;

void readFrames(std::string_view content)
{
    static const fuzz::MemoryFile kFile;
    kFile.write(content);
    const int in = ::open(kFile.path().c_str(), O_RDONLY | O_CLOEXEC);
    runtime::WorkerLink link(in, -1);
    while (link.take()) {
    }
    ::close(in);
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
        (void)runtime::unpackOutcome(packed);
    if (as == As::Report)
        (void)runtime::unpackReport(packed);
    if (as == As::Run)
        (void)runtime::unpackRun(packed);
}

std::string seedOf(As as, Packer packer)
{
    const backend::Bytes bytes = packer.take();
    std::string seed(1, static_cast<char>(as));
    std::ranges::transform(bytes, std::back_inserter(seed), [](std::byte byte) { return static_cast<char>(byte); });
    return seed;
}

fuzz::Seeds seeds()
{
    Packer outcome;
    pack(outcome, base::Result<>(base::Error::failed(fuzz::hostileMarkup(), "field")));
    timeline::Timeline timeline;
    timeline.lanes.resize(2);
    timeline.lanes[0].push(schedule::makePass(schedule::PassKind::F, 0, 0), 0, 10);
    timeline.stages = {{0}, {1}};
    runtime::StepReport report;
    report.timeline = std::make_shared<const timeline::Timeline>(timeline);
    report.peakMemory = {{1, 2, 3, 4, 5, 6, 7}};
    report.facts["clocks"] = fuzz::hostileMarkup();
    report.kernels = std::make_shared<const timeline::KernelTrace>(timeline::KernelTrace{{"gemm"}, {{0, 5, 0, 0}}});
    Packer step;
    pack(step, report);
    Packer plan;
    pack(plan, runtime::PackedRun{
                   model::Experiment{},
                   schedule::scheduleFromText("schedule 1f1b devices 1 microbatches 1 vocabulary none\n0: F0 B0\n").value(),
                   {},
                   false});
    const fuzz::MemoryFile file;
    const int out = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    runtime::WorkerLink link(-1, out);
    (void)link.put(runtime::Word::Progress, {});
    std::string frames(64, '\0');
    frames.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(out, frames.data(), frames.size(), 0))));
    ::close(out);
    std::string huge = frames; // names 4 GiB that never come
    std::fill(huge.end() - 8, huge.end() - 4, '\xff');
    return {seedOf(As::Outcome, std::move(outcome)), seedOf(As::Report, std::move(step)), seedOf(As::Run, std::move(plan)),
            std::string(1, static_cast<char>(As::Frames)) + frames + frames,
            std::string(1, static_cast<char>(As::Frames)) + huge};
}

const fuzz::Registered kTarget{{"worker", run, seeds}};

} // namespace
