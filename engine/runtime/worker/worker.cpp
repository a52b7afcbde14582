#include "engine/runtime/worker/worker.h"

#include "engine/base/text.h"
#include "engine/runtime/processes/nccl.h"
#include "engine/runtime/worker/parent_watch.h"
#include "engine/runtime/worker/worker_link.h"
#include "engine/runtime/worker/worker_process.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace stagelens::runtime {
namespace {

std::filesystem::path program()
{
    if (const char *given = std::getenv("STAGELENS_WORKER"); given != nullptr)
        return given;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "stagelens-cli";
}

/// Calls the observer with the content of the frame. Returns false, without a call, if the frame is malformed.
bool report(const TrainingObserver &observer, const Frame &frame)
{
    Unpacker packed(frame.bytes);
    const auto notify = [&packed](const auto &callback, const auto &...values) {
        if (packed.isWhole() && callback)
            callback(values...);
    };
    if (frame.type == FrameType::Step) {
        const StepReport report = unpackReport(packed);
        notify(observer.onStep, report);
    } else if (frame.type == FrameType::Progress) {
        const auto progress = packed.value<Progress>();
        notify(observer.onProgress, progress);
    } else if (frame.type == FrameType::Evaluation) {
        const auto evaluation = packed.value<Evaluation>();
        notify(observer.onEvaluation, evaluation);
    } else if (frame.type == FrameType::Checkpoint) {
        const int steps = packed.value<int>();
        const base::Result<> outcome = unpackOutcome(packed);
        notify(observer.onCheckpoint, steps, outcome);
    }
    return packed.isWhole();
}

} // namespace

std::optional<base::Result<>> followRun(WorkerProcess &worker, WorkerLink &link, const TrainingObserver &observer,
                                        const std::stop_token &stop)
{
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
    // Stops the worker on request, and kills it after kWorkerPatience.
    std::jthread watch([&] {
        const std::stop_callback wake(stop, [&] {
            const std::scoped_lock lock(mutex); // not between the check and the sleep of the other thread
            ended.notify_all();
        });
        std::unique_lock lock(mutex);
        ended.wait(lock, [&] { return hasEnded || stop.stop_requested(); });
        if (hasEnded)
            return;
        worker.askToStop();
        if (!ended.wait_for(lock, kWorkerPatience, [&] { return hasEnded; }))
            worker.kill();
    });
    std::optional<base::Result<>> outcome;
    while (auto frame = link.take()) {
        if (frame->type == FrameType::End) {
            Unpacker packed(frame->bytes);
            outcome = unpackOutcome(packed);
            break;
        }
        if (!report(observer, *frame))
            break;
    }
    {
        const std::scoped_lock lock(mutex);
        hasEnded = true;
    }
    ended.notify_all();
    return outcome;
}

base::Result<> trainInWorker(const model::Experiment &experiment, const schedule::Schedule &schedule, const RunFolders &folders,
                             const TrainingObserver &observer, std::stop_token stop, bool isOverNccl)
{
    WorkerProcess worker;
    const std::string file = program().string();
    if (const auto started = worker.start({file, kWorkerCommand}, WorkerProcess::Errors::Inherited); !started)
        return base::Error::failed(fmt::format("cannot start the GPU worker {}: {}; install stagelens-cli beside the program",
                                               file, started.error().text()));
    WorkerLink link(worker.socket(), worker.socket());
    Packer run;
    pack(run, {experiment, schedule, folders, isOverNccl});
    (void)link.put(FrameType::Run, std::move(run)); // if it is gone, take() fails at once
    if (const auto outcome = followRun(worker, link, observer, stop)) {
        worker.leave();
        return *outcome;
    }
    worker.kill(); // it sent malformed frames
    const std::string how = howItEnded(worker.wait());
    if (link.isForeign())
        return base::Error::failed(file + " is from another build than this program; install both together");
    if (stop.stop_requested())
        return base::Error::cancelled();
    return base::Error::failed(fmt::format("the GPU worker {}; the next run starts a new one", how));
}

namespace {

/// Sends what a run reports.
TrainingObserver observerOf(const std::function<void(FrameType, Packer)> &write)
{
    const auto send = [write](FrameType type, const auto &fill) {
        Packer packer;
        fill(packer);
        write(type, std::move(packer));
    };
    const auto sendValue = [send](FrameType type) {
        return [send, type](const auto &value) { send(type, [&](Packer &packer) { packer.put(value); }); };
    };
    return {[send](const StepReport &report) { send(FrameType::Step, [&](Packer &packer) { pack(packer, report); }); },
            sendValue(FrameType::Progress), sendValue(FrameType::Evaluation),
            [send](int steps, const base::Result<> &written) {
                send(FrameType::Checkpoint, [&](Packer &packer) {
                    packer.put(steps);
                    pack(packer, written);
                });
            }};
}

/// Calls `read` whenever standard input has data or has ended, until it returns false.
class InputListener {
public:
    explicit InputListener(std::function<bool()> read)
        : m_end(::eventfd(0, EFD_CLOEXEC)), m_thread([this, read = std::move(read)] {
              for (;;) {
                  std::array<pollfd, 2> ready{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{m_end, POLLIN, 0}};
                  if (::poll(ready.data(), ready.size(), -1) < 0)
                      continue;
                  if (ready[1].revents != 0 || !read())
                      return;
              }
          })
    {}
    InputListener(const InputListener &) = delete;
    InputListener &operator=(const InputListener &) = delete;
    ~InputListener()
    {
        constexpr std::uint64_t kOne = 1;
        (void)!::write(m_end, &kOne, sizeof kOne);
        m_thread.join();
        ::close(m_end);
    }

private:
    int m_end;
    std::jthread m_thread;
};

/// Takes the frames before the run. On another machine answers the request for a description first, and starts the watch.
/// Returns nothing if the parent leaves without a run.
std::optional<Frame> takeRun(WorkerLink &link, ParentWatch &parent, const MachineDescriber &describe)
{
    auto frame = link.take();
    if (frame && frame->type == FrameType::Describe && describe) {
        parent.begin();
        Packer machine;
        pack(machine, describe());
        if (!link.putMark() || !link.put(FrameType::Machine, std::move(machine)))
            return std::nullopt;
        do {
            parent.hear();
            frame = link.take();
        } while (frame && frame->type == FrameType::Heartbeat);
        if (!frame)
            return std::nullopt;
    }
    return frame ? std::move(frame) : Frame{};
}

} // namespace

int work(const MachineDescriber &describe, const std::function<void()> &abandon)
{
    // Output of libraries must not mix with the frames.
    const int out = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    WorkerLink link(STDIN_FILENO, out);
    std::stop_source stop;
    ParentWatch parent(stop, abandon);
    const auto end = [&link](const base::Result<> &outcome) {
        Packer packer;
        pack(packer, outcome);
        return link.put(FrameType::End, std::move(packer)) ? 0 : 1;
    };
    const auto frame = takeRun(link, parent, describe);
    if (!frame)
        return 0;
    if (frame->type != FrameType::Run) // the answer reports the mismatch to a parent of another build
        return end(base::Error::failed("the worker received no run; start it through stagelens-cli run"));
    Unpacker packed(frame->bytes);
    const auto run = unpackRun(packed);
    if (!run)
        return end(run.error());
    if (run->isOverNccl)
        prepareForNccl();
    // Requests the stop when the parent is gone or closes the input.
    const InputListener listener([&] {
        if (link.take()) {
            parent.hear();
            return true;
        }
        stop.request_stop();
        parent.lose();
        return false;
    });
    const TrainingObserver observer = observerOf([&link, &stop](FrameType type, Packer packer) {
        if (!link.put(type, std::move(packer)))
            stop.request_stop();
    });
    return end(train(run->experiment, run->schedule, run->folders, observer, stop.get_token(), {{}, run->isOverNccl}));
}

} // namespace stagelens::runtime
