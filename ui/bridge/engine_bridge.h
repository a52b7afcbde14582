// Where the engine's answers become signals on the GUI thread.
#pragma once

#include "engine/service/engine_service.h"

#include <QObject>

#include <memory>
#include <thread>
#include <vector>

namespace stagelens::ui {

class StoreWatch;

/// Owns the EngineService and drains its mailbox when it is woken; the wake-up carries no data.
class EngineBridge : public QObject {
    Q_OBJECT
public:
    explicit EngineBridge(service::ServiceOptions options, QObject *parent = nullptr);
    ~EngineBridge() override;

    [[nodiscard]] service::EngineService &service() { return *m_service; }
    /// Ends all jobs and goes on with another run database.
    void openDatabase(const std::filesystem::path &file);
    /// Cores that plans are resolved for.
    [[nodiscard]] int cores() const { return m_cores; }
    /// Measures this machine in the background if that was never done; calibrated() tells when its costs have changed.
    void calibrateOnce();
    /// Looks for this machine's backends in the background, once: where there are GPUs, CUDA takes its time to start.
    void findBackends();

signals:
    void predictionArrived(quint64 job, const stagelens::service::PredictionAnswerPtr &answer);
    void runArrived(quint64 job, const stagelens::service::RunSnapshotPtr &snapshot);
    void sweepArrived(quint64 job, const stagelens::service::SweepSnapshotPtr &snapshot);
    void importArrived(quint64 job, const stagelens::service::ImportAnswerPtr &answer);
    /// This process or another has written to the run database.
    void storeChanged();
    void calibrated();
    void backendsFound(const std::vector<stagelens::service::BackendInfo> &backends);

private:
    void open(service::ServiceOptions options);
    void drain();

    int m_cores;
    std::unique_ptr<service::EngineService> m_service;
    std::unique_ptr<StoreWatch> m_storeWatch;
    std::jthread m_calibration;
    std::jthread m_backends;
};

} // namespace stagelens::ui
