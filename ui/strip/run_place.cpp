#include "ui/strip/run_place.h"

#include "engine/service/machine/machines.h"
#include "ui/words/engine_messages.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// "Xeon, 12 cores, 62 GiB" and a line for each backend.
QString machineWords(const runtime::MachineReport &machine)
{
    const auto fact = [&machine](const char *name) {
        const auto found = machine.facts.find(name);
        return found == machine.facts.end() ? QString() : qtText(found->second);
    };
    QString words = Words::tr("%1, %2 cores, %3").arg(fact("cpu"), QString::number(machine.cores), fact("memory"));
    for (const service::BackendInfo &backend : machine.backends)
        if (backend.name != "cpu")
            words += u'\n' + qtText(backend.name) + u": "_s +
                     (backend.available ? engineMessage(backend.description)
                                        : Words::tr("not available: ") + engineMessage(backend.reason));
    return words;
}

} // namespace

RunPlace::RunPlace(EngineBridge *bridge, QObject *parent) : QObject(parent), m_job(bridge) {}

void RunPlace::choose(const QString &host, bool copiesKit)
{
    const runtime::HostChoice next{host.trimmed().toStdString(), {}, copiesKit};
    if (next == m_choice && (m_job.isRunning() || !m_backends.empty() || next.host.empty()))
        return;
    m_job.cancel();
    m_choice = next;
    m_answer.clear();
    m_backends.clear();
    m_hardware.reset();
    if (!isHere())
        m_job.start([next](const std::stop_token &stop) { return service::machineThere(next, stop); },
                    [this](const base::Result<runtime::MachineReport> &machine) {
                        if (machine) {
                            m_answer = machineWords(*machine);
                            m_cores = machine->cores;
                            m_hardware = service::calibratedHardware(*machine);
                            for (const service::BackendInfo &backend : machine->backends)
                                if (backend.available)
                                    m_backends.push_back(backend.name);
                        } else {
                            m_answer = sentence(machine.error());
                        }
                        emit changed();
                    });
    emit changed();
}

bool RunPlace::canTrain(const std::string &backend) const
{
    return std::ranges::find(m_backends, backend) != m_backends.end();
}

} // namespace stagelens::ui
