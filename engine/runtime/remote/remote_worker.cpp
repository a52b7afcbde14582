#include "engine/runtime/remote/remote_worker.h"

#include "engine/base/text.h"
#include "engine/runtime/remote/kit.h"
#include "engine/runtime/worker/parent_watch.h"
#include "engine/runtime/worker/worker.h"

#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <sys/wait.h>

namespace stagelens::runtime {
namespace {

std::string otherBuild(const HostChoice &choice, const MachineReport &machine, const std::string &build)
{
    return fmt::format(
        "{} has stagelens-cli of build {}, this program is of build {}; install the same build there, or add --copy-kit",
        choice.host, machine.build, build);
}

} // namespace

base::Result<std::unique_ptr<RemoteWorker>> RemoteWorker::connect(HostChoice choice, const std::string &build,
                                                                  const std::stop_token &stop)
{
    if (const auto sound = checkHost(choice.host); !sound)
        return sound.error();
    for (bool isCopied = false;; isCopied = true) {
        std::unique_ptr<RemoteWorker> worker(new RemoteWorker(choice));
        auto opened = worker->open(stop);
        if (opened && worker->machine().build != build)
            opened = base::Error::invalid("--host", otherBuild(choice, worker->machine(), build));
        if (opened)
            return worker;
        if (!choice.copiesKit || isCopied || stop.stop_requested())
            return opened.error();
        worker.reset();
        auto copied = copyKit(choice.host, stop);
        if (!copied)
            return copied.error();
        choice.program = *std::move(copied);
    }
}

RemoteWorker::~RemoteWorker()
{
    if (m_heart.joinable()) {
        m_heart.request_stop();
        m_process.kill(); // a heartbeat may wait for a full pipe
        m_heart.join();
    }
}

base::Result<> RemoteWorker::open(const std::stop_token &stop)
{
    std::vector<std::string> command = workerCommand(m_choice);
    const std::string ssh = command.front();
    if (const auto started = m_process.start(std::move(command), WorkerProcess::Errors::Kept); !started)
        return base::Error::failed(
            fmt::format("cannot start {}: {}; install the OpenSSH client (openssh-client)", ssh, started.error().text()));
    m_link.emplace(m_process.socket(), m_process.socket());
    FailedStart failed;
    std::optional<Frame> frame;
    {
        const std::stop_callback cancel(stop, [this] { m_process.kill(); });
        (void)m_link->put(FrameType::Describe, {});
        if (m_link->takeMark(failed.output))
            frame = m_link->take();
    }
    if (stop.stop_requested())
        return base::Error::cancelled();
    if (frame && frame->type == FrameType::Machine) {
        Unpacker packed(frame->bytes);
        m_machine = unpackMachine(packed);
        if (packed.isWhole()) {
            m_heart = std::jthread([this](const std::stop_token &ended) {
                std::mutex mutex;
                std::condition_variable_any never;
                std::unique_lock lock(mutex);
                while (!never.wait_for(lock, ended, kHeartbeat, [] { return false; }) && !ended.stop_requested())
                    if (!m_link->put(FrameType::Heartbeat, {}))
                        return;
            });
            return {};
        }
    }
    m_process.leave(); // ssh may still have to say why
    failed.status = m_process.status();
    failed.errors = m_process.keptErrors();
    return startError(m_choice, failed);
}

RemoteOutcome RemoteWorker::train(const PackedRun &run, const TrainingObserver &observer, const std::stop_token &stop)
{
    Packer packed;
    pack(packed, run);
    (void)m_link->put(FrameType::Run, std::move(packed)); // if it is gone, take() fails at once
    int stepsDone = 0;
    TrainingObserver counting = observer;
    counting.onStep = [&](const StepReport &report) {
        stepsDone = report.step + 1;
        if (observer.onStep)
            observer.onStep(report);
    };
    const auto outcome = followRun(m_process, *m_link, counting, stop);
    m_heart.request_stop();
    if (outcome) {
        m_process.leave();
        return {*outcome};
    }
    if (stop.stop_requested()) {
        m_process.kill();
        return {base::Error::cancelled()};
    }
    m_process.leave();
    const int status = m_process.status();
    if (WIFEXITED(status) && WEXITSTATUS(status) != kSshFailed && WEXITSTATUS(status) != 0) {
        const std::string line = lastLine(m_process.keptErrors());
        return {base::Error::failed(fmt::format("the worker on {} {}{}{}; the next run starts a new one", m_choice.host,
                                                howItEnded(status), line.empty() ? "" : ": ", line))};
    }
    return {brokenOff(stepsDone), true};
}

base::Error RemoteWorker::brokenOff(int stepsDone)
{
    const std::string line = lastLine(m_process.keptErrors());
    return base::Error::failed(fmt::format("the connection to {} was lost after {}{}{}{}; what was measured until then is "
                                           "kept, and the worker there ends by itself",
                                           m_choice.host, stepsDone, stepsDone == 1 ? " step" : " steps",
                                           line.empty() ? "" : ": ", line));
}

} // namespace stagelens::runtime
