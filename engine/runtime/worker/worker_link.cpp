#include "engine/runtime/worker/worker_link.h"

#include "engine/model/experiment_json.h"
#include "engine/runtime/processes/packed_timeline.h"
#include "engine/schedule/text_form.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <map>
#include <sys/socket.h>
#include <unistd.h>

namespace stagelens::runtime {
namespace {

/// Increment with every change of the protocol.
constexpr std::uint32_t kProtocolVersion = 8;

struct Head {
    std::uint32_t version = kProtocolVersion;
    FrameType type = FrameType::End;
    std::uint64_t bytes = 0;
};

/// Greatest frame; a step of a million passes takes 40 MB.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32U;
/// Memory grows with the bytes received, not with the announced size.
constexpr std::size_t kReadBlock = std::size_t{16} << 20U;

constexpr const char *kCutShort = "a message between this program and its worker was truncated; start the run again";

bool writeAll(int out, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        // MSG_NOSIGNAL prevents SIGPIPE. Falls back to write() if it is no socket, as on a terminal.
        ssize_t written = ::send(out, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == ENOTSOCK)
            written = ::write(out, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

bool readAll(int in, std::span<std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t count = ::read(in, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

} // namespace

bool WorkerLink::put(FrameType type, Packer content)
{
    const backend::Bytes bytes = content.take();
    const Head head{kProtocolVersion, type, bytes.size()};
    const std::scoped_lock lock(m_writing);
    return writeAll(m_out, std::as_bytes(std::span(&head, 1))) && writeAll(m_out, bytes);
}

bool WorkerLink::putMark()
{
    const std::scoped_lock lock(m_writing);
    return writeAll(m_out, std::as_bytes(std::span(kMachineMark)));
}

bool WorkerLink::takeMark(std::string &before)
{
    constexpr std::size_t kMost = 65536;
    std::byte next{};
    while (before.size() < kMost && readAll(m_in, {&next, 1})) {
        before += static_cast<char>(next);
        if (!before.ends_with(kMachineMark))
            continue;
        before.resize(before.size() - kMachineMark.size());
        return true;
    }
    return false;
}

std::optional<Frame> WorkerLink::take()
{
    Head head;
    if (!readAll(m_in, std::as_writable_bytes(std::span(&head, 1))))
        return std::nullopt;
    m_isForeign = head.version != kProtocolVersion;
    if (m_isForeign || head.bytes > kMostBytes || head.type > FrameType::End)
        return std::nullopt;
    Frame frame{head.type, {}};
    while (frame.bytes.size() < head.bytes) {
        const std::size_t done = frame.bytes.size();
        frame.bytes.resize(std::min<std::size_t>(head.bytes, done + kReadBlock));
        if (!readAll(m_in, std::span(frame.bytes).subspan(done)))
            return std::nullopt;
    }
    return frame;
}

void pack(Packer &packer, const base::Result<> &outcome)
{
    packer.put(outcome.ok());
    if (outcome)
        return;
    packer.put(outcome.error().kind);
    packer.put(outcome.error().problems.size());
    for (const base::Problem &problem : outcome.error().problems) {
        packer.put(problem.field);
        packer.put(problem.message);
    }
}

base::Result<> unpackOutcome(Unpacker &packed)
{
    if (packed.value<bool>())
        return {};
    base::Error error{packed.value<base::ErrorKind>(static_cast<int>(base::ErrorKind::Cancelled) + 1), {}};
    error.problems.resize(packed.count(2 * sizeof(std::size_t)));
    for (base::Problem &problem : error.problems) {
        problem.field = packed.text();
        problem.message = packed.text();
    }
    if (!packed.isWhole() || error.problems.empty())
        return base::Error::failed(kCutShort);
    return error;
}

void pack(Packer &packer, const StepReport &report)
{
    packer.put(report.step);
    packer.put(report.loss);
    packer.put(report.iteration);
    packer.put(report.lossScale);
    packer.put(report.isSkipped);
    packer.put(report.peakMemory);
    packer.put(report.peakHost);
    pack(packer, *report.timeline);
    packer.put(report.facts.size());
    for (const auto &[name, text] : report.facts) {
        packer.put(name);
        packer.put(text);
    }
    packer.put(report.routers != nullptr);
    if (report.routers != nullptr) {
        packer.put(report.routers->layers.size());
        for (const timeline::RouterCounts &counts : report.routers->layers)
            pack(packer, counts);
    }
    packer.put(report.operators != nullptr);
    if (report.operators != nullptr)
        pack(packer, *report.operators);
    packer.put(report.kernels != nullptr);
    if (report.kernels == nullptr)
        return;
    packer.put(report.kernels->names.size());
    for (const std::string &name : report.kernels->names)
        packer.put(name);
    packer.put(report.kernels->slices);
}

StepReport unpackReport(Unpacker &packed)
{
    StepReport report;
    report.step = packed.value<int>();
    report.loss = packed.value<double>();
    report.iteration = packed.value<base::Nanos>();
    report.lossScale = packed.value<double>();
    report.isSkipped = packed.value<bool>();
    report.peakMemory = packed.values<simulate::MemoryByCategory>();
    report.peakHost = packed.values<base::Bytes>();
    report.timeline = std::make_shared<const timeline::Timeline>(unpackTimeline(packed));
    for (auto count = packed.count(2 * sizeof(std::size_t)); count > 0; --count) {
        std::string name = packed.text();
        report.facts[std::move(name)] = packed.text();
    }
    if (packed.value<bool>()) {
        timeline::RouterStep routers{report.step, {}};
        for (auto count = packed.count(kLeastCountsBytes); count > 0; --count)
            routers.layers.push_back(unpackCounts(packed));
        report.routers = std::make_shared<const timeline::RouterStep>(std::move(routers));
    }
    if (packed.value<bool>())
        report.operators = std::make_shared<const timeline::OperatorTimes>(unpackOperators(packed));
    if (!packed.value<bool>())
        return report;
    timeline::KernelTrace kernels;
    kernels.names.resize(packed.count(sizeof(std::size_t)));
    for (std::string &name : kernels.names)
        name = packed.text();
    kernels.slices = packed.values<timeline::KernelSlice>();
    packed.require(std::ranges::all_of(kernels.slices, [&](const timeline::KernelSlice &slice) {
        return slice.name >= 0 && slice.name < std::ssize(kernels.names) && slice.device >= 0 &&
               slice.device < report.timeline->devices();
    }));
    report.kernels = std::make_shared<const timeline::KernelTrace>(std::move(kernels));
    return report;
}

void pack(Packer &packer, const PackedRun &run)
{
    packer.put(model::toJson(run.experiment).dump());
    packer.put(schedule::toText(run.schedule));
    for (int device = 0; device < run.schedule.devices(); ++device) // the text has no copies
        packer.put(std::vector<schedule::Copy>(run.schedule.copies(device).begin(), run.schedule.copies(device).end()));
    for (const auto *path : {&run.folders.dump, &run.folders.init, &run.folders.checkpoints, &run.folders.resume})
        packer.put(path->string());
    packer.put(run.folders.checkpointEvery);
    packer.put(run.folders.recordsKernels);
    packer.put(run.isOverNccl);
}

namespace {

/// Returns whether a copy belongs to a device's order and begins before it is needed.
bool isPossible(const schedule::Copy &copy, const schedule::Schedule &schedule, int device)
{
    const bool isKind = copy.kind == schedule::CopyKind::Offload || copy.kind == schedule::CopyKind::Reload;
    return isKind && copy.launch <= copy.join && copy.join < schedule.device(device).size() && copy.microbatch >= 0 &&
           copy.microbatch < schedule.microbatches() && copy.stage < schedule.stages();
}

/// Reads the copies of every device. Each is copied back once, after it has left, or the input is malformed.
std::vector<std::vector<schedule::Copy>> unpackCopies(Unpacker &packed, const schedule::Schedule &schedule)
{
    std::vector<std::vector<schedule::Copy>> all;
    for (int device = 0; device < schedule.devices(); ++device) {
        const auto &copies = all.emplace_back(packed.values<schedule::Copy>());
        std::map<std::pair<int, int>, std::uint32_t> away; // joins of offloads
        for (const schedule::Copy &copy : copies) {
            packed.require(isPossible(copy, schedule, device));
            const std::pair key(static_cast<int>(copy.stage), copy.microbatch);
            if (copy.kind == schedule::CopyKind::Offload) {
                packed.require(away.emplace(key, copy.join).second);
                continue;
            }
            const auto offload = away.find(key);
            packed.require(offload != away.end() && offload->second <= copy.launch);
            away.erase(key);
        }
        packed.require(away.empty() && std::ranges::is_sorted(copies, {}, &schedule::Copy::launch));
        if (!packed.isWhole())
            return {};
    }
    return all;
}

} // namespace

base::Result<PackedRun> unpackRun(Unpacker &packed)
{
    auto experiment = model::experimentFromJson(packed.text(), "the run");
    if (!experiment)
        return experiment.error();
    auto schedule = schedule::scheduleFromText(packed.text());
    if (!schedule)
        return schedule.error();
    if (std::vector<std::vector<schedule::Copy>> copies = unpackCopies(packed, *schedule); packed.isWhole())
        schedule = schedule->withCopies(std::move(copies));
    RunFolders folders;
    for (auto *path : {&folders.dump, &folders.init, &folders.checkpoints, &folders.resume})
        *path = packed.text();
    folders.checkpointEvery = packed.value<int>();
    folders.recordsKernels = packed.value<bool>();
    const bool isOverNccl = packed.value<bool>();
    if (!packed.isWhole())
        return base::Error::failed(kCutShort);
    return PackedRun{std::move(experiment).value(), std::move(schedule).value(), std::move(folders), isOverNccl};
}

} // namespace stagelens::runtime
