// Where runs train: this computer or another machine.
#pragma once

#include "ui/state/latest_job.h"

#include <QString>

#include <optional>

namespace stagelens::ui {

/// The chosen machine, and what it answered. Asks it once when it is chosen. GUI thread only.
class RunPlace : public QObject {
    Q_OBJECT
public:
    explicit RunPlace(EngineBridge *bridge, QObject *parent = nullptr);

    /// Chooses another machine and asks what it is; an empty name chooses this computer.
    void choose(const QString &host, bool copiesKit);
    [[nodiscard]] bool isHere() const { return m_choice.host.empty(); }
    [[nodiscard]] const runtime::HostChoice &choice() const { return m_choice; }
    [[nodiscard]] bool isAsking() const { return m_job.isRunning(); }
    /// What it can train with, or why it does not answer; empty for this computer and while it is being asked.
    [[nodiscard]] const QString &answer() const { return m_answer; }
    /// Whether it has answered and can train with that backend.
    [[nodiscard]] bool canTrain(const std::string &backend) const;
    [[nodiscard]] int cores() const { return m_cores; }
    /// The calibrated hardware of its processor; nothing if it has none.
    [[nodiscard]] const std::optional<model::Hardware> &hardware() const { return m_hardware; }

signals:
    void changed();

private:
    runtime::HostChoice m_choice;
    QString m_answer;
    std::vector<std::string> m_backends; ///< that can train
    int m_cores = 0;
    std::optional<model::Hardware> m_hardware;
    LatestJob m_job;
};

} // namespace stagelens::ui
