#include "ui/state/engine_bridge.h"

#include "engine/service/machine/backends.h"
#include "engine/service/machine/calibrate.h"
#include "ui/state/store_watch.h"
#include "ui/words/words.h"

#include <QMetaObject>

#include <utility>

namespace stagelens::ui {

EngineBridge::EngineBridge(const service::ServiceOptions &options, QObject *parent)
    : QObject(parent), m_cores(options.cores > 0 ? options.cores : service::machineCores()),
      m_service(std::make_unique<service::EngineService>(
          options, [this] { QMetaObject::invokeMethod(this, &EngineBridge::drain, Qt::QueuedConnection); }))
{
    watchStore();
}

EngineBridge::~EngineBridge() = default;

void EngineBridge::watchStore()
{
    m_storeWatch = std::make_unique<StoreWatch>(m_service->databaseFile());
    connect(m_storeWatch.get(), &StoreWatch::changed, this, &EngineBridge::storeChanged);
}

void EngineBridge::openDatabase(const std::filesystem::path &file)
{
    m_service->useDatabase(file);
    watchStore();
}

void EngineBridge::calibrateOnce()
{
    if (!service::isCalibrated())
        calibrate();
}

void EngineBridge::calibrate()
{
    if (std::exchange(m_isCalibrating, true))
        return;
    m_calibration = std::jthread([this](const std::stop_token &stop) {
        const auto measured = service::calibrate(stop);
        QMetaObject::invokeMethod(
            this,
            [this, why = measured ? QString() : sentence(measured.error())] {
                m_isCalibrating = false;
                if (why.isEmpty())
                    emit calibrated();
                else
                    emit calibrationFailed(why);
            },
            Qt::QueuedConnection);
    });
}

void EngineBridge::findBackends()
{
    if (m_backends.joinable())
        return;
    m_backends = std::jthread([this] {
        QMetaObject::invokeMethod(
            this, [this, found = service::backends()] { emit backendsFound(found); }, Qt::QueuedConnection);
    });
}

void EngineBridge::drain()
{
    for (const service::Event &event : m_service->drain()) {
        if (const auto *prediction = std::get_if<service::PredictionAnswerPtr>(&event.answer))
            emit predictionArrived(event.job, *prediction);
        else if (const auto *run = std::get_if<service::RunSnapshotPtr>(&event.answer))
            emit runArrived(event.job, *run);
        else if (const auto *sweep = std::get_if<service::SweepSnapshotPtr>(&event.answer))
            emit sweepArrived(event.job, *sweep);
        else if (const auto *progress = std::get_if<service::ImportProgress>(&event.answer))
            emit importProgressed(event.job, progress->share);
        else if (const auto *imported = std::get_if<service::ImportAnswerPtr>(&event.answer))
            emit importArrived(event.job, *imported);
        else
            std::get<service::StoreAnswer>(event.answer)();
    }
}

} // namespace stagelens::ui
