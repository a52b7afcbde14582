// Owns the service of the engine and turns its events into signals on the GUI thread. Functions of the service that need no
// job are called directly.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/machine/backends.h"

#include <QObject>
#include <QPointer>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace stagelens::ui {

class StoreWatch;

/// Owns the EngineService and drains its mailbox when it is woken; the wake-up carries no data.
class EngineBridge : public QObject {
    Q_OBJECT
public:
    explicit EngineBridge(const service::ServiceOptions &options, QObject *parent = nullptr);
    ~EngineBridge() override;

    [[nodiscard]] service::EngineService &service() { return *m_service; }
    /// The only access to stored runs. Runs `work(storedRuns)` on the thread of the run database, which may wait for the disk
    /// and for other processes, then `take(result)` on the GUI thread unless `asker` was destroyed.
    template <class Work, class Take>
    service::JobId ask(service::StoreUse use, const QObject *asker, Work work, Take take)
    {
        return m_service->ask(use, std::move(work), [asker = QPointer(asker), take = std::move(take)](auto answer) {
            if (asker)
                take(std::move(answer));
        });
    }
    /// Runs `work(stop)` on a thread for analyses, then `take(result)` on the GUI thread unless `asker` was destroyed.
    /// LatestJob adds cancellation.
    template <class Work, class Take>
    service::JobId compute(const QObject *asker, Work work, Take take)
    {
        return m_service->compute(std::move(work), [asker = QPointer(asker), take = std::move(take)](auto answer) {
            if (asker)
                take(std::move(answer));
        });
    }
    /// Uses another run database from now on; running jobs store into the one that they began with.
    void openDatabase(const std::filesystem::path &file);
    /// Returns the cores that plans are resolved for.
    [[nodiscard]] int cores() const { return m_cores; }
    /// Measures this machine in the background if that was never done; emits calibrated() when its costs have changed.
    void calibrateOnce();
    /// Measures this machine in the background (about a second), unless that is going on; then emits calibrated() or
    /// calibrationFailed().
    void calibrate();
    /// Finds this machine's backends in the background, once: CUDA takes seconds to start.
    void findBackends();

signals:
    void predictionArrived(quint64 job, const stagelens::service::PredictionAnswerPtr &answer);
    void runArrived(quint64 job, const stagelens::service::RunSnapshotPtr &snapshot);
    void sweepArrived(quint64 job, const stagelens::service::SweepSnapshotPtr &snapshot);
    void importProgressed(quint64 job, double share);
    void importArrived(quint64 job, const stagelens::service::ImportAnswerPtr &answer);
    /// This process or another has written to the run database.
    void storeChanged();
    void calibrated();
    void calibrationFailed(const QString &why);
    void backendsFound(const std::vector<stagelens::service::BackendInfo> &backends);

private:
    void watchStore();
    void drain();

    int m_cores;
    std::unique_ptr<service::EngineService> m_service;
    std::unique_ptr<StoreWatch> m_storeWatch;
    bool m_isCalibrating = false;
    std::jthread m_calibration;
    std::jthread m_backends;
};

} // namespace stagelens::ui
