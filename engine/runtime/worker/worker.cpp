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

/// A kernel that hangs listens to nobody.
constexpr std::chrono::seconds kPatience{20};

std::filesystem::path program()
{
    if (const char *given = std::getenv("STAGELENS_WORKER"); given != nullptr)
        return given;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "stagelens-cli";
}

/// Of the worker's end, as the shell would say it.
std::string howItEnded(int status)
{
    if (WIFSIGNALED(status))
        return base::concat("was ended by signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)), ")");
    return base::concat("ended with status ", WEXITSTATUS(status));
}

/// The process, and the local socket to it, which is its input and its output.
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
            return base::Error::failed(base::concat("no socket for the GPU's process: ", std::strerror(errno)));
        m_socket = ends[0];
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        // A group of its own: Ctrl+C in a terminal is for this program, which then asks the worker.
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
        return base::Error::failed(base::concat("the GPU's process ", file, " cannot be started: ", std::strerror(failed),
                                                "; install stagelens-cli beside the program"));
    }

    [[nodiscard]] int socket() const { return m_socket; }
    /// It finds the end of its input.
    void askToStop() const { ::shutdown(m_socket, SHUT_WR); }
    void kill() const
    {
        if (m_process > 0)
            ::kill(m_process, SIGKILL);
    }
    /// It has told its end: waits for that, but no longer than kPatience.
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
    /// Until it has ended; how.
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

/// False where the frame is not whole; then the observer hears nothing of it.
bool tell(const TrainingObserver &observer, const Frame &frame)
{
    Unpacker packed(frame.bytes);
    const auto hear = [&packed](const auto &heard, const auto &...values) {
        if (packed.isWhole() && heard)
            heard(values...);
    };
    if (frame.word == Word::Step) {
        const StepReport report = unpackReport(packed);
        hear(observer.onStep, report);
    } else if (frame.word == Word::Progress) {
        const auto progress = packed.value<Progress>();
        hear(observer.onProgress, progress);
    } else if (frame.word == Word::Evaluation) {
        const auto evaluation = packed.value<Evaluation>();
        hear(observer.onEvaluation, evaluation);
    } else if (frame.word == Word::Checkpoint) {
        const int steps = packed.value<int>();
        const base::Result<> outcome = unpackOutcome(packed);
        hear(observer.onCheckpoint, steps, outcome);
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
    (void)link.put(Word::Run, std::move(run)); // of one that is gone the end is met at once
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
    // Asks when the person does, and then waits only so long.
    std::jthread watch([&] {
        const std::stop_callback wake(stop, [&] {
            const std::scoped_lock lock(mutex); // not between the other's look and its sleep
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
        if (frame->word == Word::End) {
            Unpacker packed(frame->bytes);
            outcome = unpackOutcome(packed);
            break;
        }
        if (!tell(observer, *frame))
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
    worker.kill(); // what speaks no sense any more
    const std::string how = howItEnded(worker.wait());
    if (link.isForeign())
        return base::Error::failed(program().string() + " is of another build than this program; install both together");
    if (stop.stop_requested())
        return base::Error::cancelled();
    return base::Error::failed(base::concat("the process that trained on the GPU ", how, "; the next run starts a new one"));
}

int work()
{
    // What a library prints must not come between the frames.
    const int out = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    WorkerLink link(STDIN_FILENO, out);
    std::stop_source stop;
    const auto end = [&link](const base::Result<> &outcome) {
        Packer packer;
        pack(packer, outcome);
        return link.put(Word::End, std::move(packer)) ? 0 : 1;
    };
    const auto frame = link.take();
    if (!frame || frame->word != Word::Run) // a master of another build learns that from the answer
        return end(base::Error::failed("nobody said what to train"));
    Unpacker packed(frame->bytes);
    const auto run = unpackRun(packed);
    if (!run)
        return end(run.error());
    if (run->isOverNccl)
        prepareForNccl();
    // Until the master is gone, or wants no more.
    const std::jthread listener([&stop, &link] {
        while (link.take()) {
        }
        stop.request_stop();
    });
    TrainingObserver observer;
    const auto say = [&link, &stop](Word word, Packer packer) {
        if (!link.put(word, std::move(packer)))
            stop.request_stop();
    };
    observer.onStep = [&say](const StepReport &report) {
        Packer packer;
        pack(packer, report);
        say(Word::Step, std::move(packer));
    };
    observer.onProgress = [&say](const Progress &progress) {
        Packer packer;
        packer.put(progress);
        say(Word::Progress, std::move(packer));
    };
    observer.onEvaluation = [&say](const Evaluation &evaluation) {
        Packer packer;
        packer.put(evaluation);
        say(Word::Evaluation, std::move(packer));
    };
    observer.onCheckpoint = [&say](int steps, const base::Result<> &written) {
        Packer packer;
        packer.put(steps);
        pack(packer, written);
        say(Word::Checkpoint, std::move(packer));
    };
    const int status =
        end(train(run->experiment, run->schedule, run->folders, observer, stop.get_token(), {{}, run->isOverNccl}));
    ::shutdown(STDIN_FILENO, SHUT_RD); // nothing more to hear
    return status;
}

} // namespace stagelens::runtime
