#include "engine/runtime/worker/worker.h"

#include "engine/base/text.h"
#include "engine/runtime/worker/nccl.h"
#include "engine/runtime/worker/worker_link.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace stagelens::runtime {
namespace {

/// How long a worker may take to stop; a hanging kernel never does.
constexpr std::chrono::seconds kPatience{20};

std::filesystem::path program()
{
    if (const char *given = std::getenv("STAGELENS_WORKER"); given != nullptr)
        return given;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "stagelens-cli";
}

/// Describes an exit status, in the words of a shell.
std::string howItEnded(int status)
{
    if (WIFSIGNALED(status))
        return base::concat("was ended by signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)), ")");
    return base::concat("ended with status ", WEXITSTATUS(status));
}

/// A worker process, and the local socket that is its standard input and output.
class Worker {
public:
    Worker() = default;
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;
    ~Worker()
    {
        kill();
        (void)wait();
        if (m_socket >= 0)
            ::close(m_socket);
    }

    [[nodiscard]] base::Result<> start()
    {
        const std::string file = program().string();
        int ends[2] = {-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return base::Error::failed(base::concat("cannot create a socket for the GPU worker: ", std::strerror(errno)));
        m_socket = ends[0];
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        // A process group of its own: Ctrl+C in a terminal signals only this program, which then stops the worker.
        posix_spawnattr_t attributes;
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        std::string name = "stagelens-cli";
        std::string command = kWorkerCommand;
        char *const arguments[] = {name.data(), command.data(), nullptr};
        const int failed = ::posix_spawn(&m_process, file.c_str(), &actions, &attributes, arguments, environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
        ::close(ends[1]);
        if (failed == 0)
            return {};
        m_process = -1;
        return base::Error::failed(base::concat("cannot start the GPU worker ", file, ": ", std::strerror(failed),
                                                "; install stagelens-cli beside the program"));
    }

    [[nodiscard]] int socket() const { return m_socket; }
    /// Asks the worker to stop by closing its input.
    void askToStop() const { ::shutdown(m_socket, SHUT_WR); }
    void kill() const
    {
        if (m_process > 0)
            ::kill(m_process, SIGKILL);
    }
    /// Waits until a worker that has reported its outcome ends, at most kPatience; then kills it.
    void leave()
    {
        askToStop();
        pollfd end{m_socket, POLLIN, 0};
        constexpr auto kMost = std::chrono::milliseconds(kPatience).count();
        while (::poll(&end, 1, static_cast<int>(kMost)) < 0 && errno == EINTR) {
        }
        if (end.revents == 0)
            kill();
        (void)wait();
    }
    /// Waits for the end of the process and returns its status.
    [[nodiscard]] int wait()
    {
        int status = 0;
        while (m_process > 0 && ::waitpid(m_process, &status, 0) < 0 && errno == EINTR) {
        }
        m_process = -1;
        return status;
    }

private:
    pid_t m_process = -1;
    int m_socket = -1;
};

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

base::Result<> trainInWorker(const model::Experiment &experiment, const schedule::Schedule &schedule, const RunFolders &folders,
                             const TrainingObserver &observer, std::stop_token stop, bool isOverNccl)
{
    Worker worker;
    if (auto started = worker.start(); !started)
        return started;
    WorkerLink link(worker.socket(), worker.socket());
    Packer run;
    pack(run, {experiment, schedule, folders, isOverNccl});
    (void)link.put(FrameType::Run, std::move(run)); // if it is gone, take() fails at once
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
    // Stops the worker on request, and kills it after kPatience.
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
        if (!ended.wait_for(lock, kPatience, [&] { return hasEnded; }))
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
    watch.join();
    if (outcome) {
        worker.leave();
        return *outcome;
    }
    worker.kill(); // it sent malformed frames
    const std::string how = howItEnded(worker.wait());
    if (link.isForeign())
        return base::Error::failed(program().string() + " is from another build than this program; install both together");
    if (stop.stop_requested())
        return base::Error::cancelled();
    return base::Error::failed(base::concat("the GPU worker ", how, "; the next run starts a new one"));
}

int work()
{
    // Output of libraries must not mix with the frames.
    const int out = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    WorkerLink link(STDIN_FILENO, out);
    std::stop_source stop;
    const auto end = [&link](const base::Result<> &outcome) {
        Packer packer;
        pack(packer, outcome);
        return link.put(FrameType::End, std::move(packer)) ? 0 : 1;
    };
    const auto frame = link.take();
    if (!frame || frame->type != FrameType::Run) // the answer tells a parent of another build so
        return end(base::Error::failed("the worker received no run; start it through stagelens-cli run"));
    Unpacker packed(frame->bytes);
    const auto run = unpackRun(packed);
    if (!run)
        return end(run.error());
    if (run->isOverNccl)
        prepareForNccl();
    // Requests the stop when the parent is gone or closes the input.
    const std::jthread listener([&stop, &link] {
        while (link.take()) {
        }
        stop.request_stop();
    });
    TrainingObserver observer;
    const auto write = [&link, &stop](FrameType type, Packer packer) {
        if (!link.put(type, std::move(packer)))
            stop.request_stop();
    };
    observer.onStep = [&write](const StepReport &report) {
        Packer packer;
        pack(packer, report);
        write(FrameType::Step, std::move(packer));
    };
    observer.onProgress = [&write](const Progress &progress) {
        Packer packer;
        packer.put(progress);
        write(FrameType::Progress, std::move(packer));
    };
    observer.onEvaluation = [&write](const Evaluation &evaluation) {
        Packer packer;
        packer.put(evaluation);
        write(FrameType::Evaluation, std::move(packer));
    };
    observer.onCheckpoint = [&write](int steps, const base::Result<> &written) {
        Packer packer;
        packer.put(steps);
        pack(packer, written);
        write(FrameType::Checkpoint, std::move(packer));
    };
    const int status =
        end(train(run->experiment, run->schedule, run->folders, observer, stop.get_token(), {{}, run->isOverNccl}));
    ::shutdown(STDIN_FILENO, SHUT_RD); // ends the listener
    return status;
}

} // namespace stagelens::runtime
