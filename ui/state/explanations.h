// Why the passes of timelines start when they do: computed when it is asked for, and kept.
#pragma once

#include "engine/service/engine_service.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace stagelens::ui {

class EngineBridge;

using ExplanationPtr = std::shared_ptr<const simulate::Explanation>;

/// Explains small timelines at once and the others off the GUI thread. GUI thread only.
class Explanations : public QObject {
    Q_OBJECT
public:
    explicit Explanations(EngineBridge *bridge, QObject *parent = nullptr);

    /// Returns the explanation; null if it cannot be made or is being computed.
    [[nodiscard]] ExplanationPtr of(const service::PredictionPtr &plan);
    [[nodiscard]] ExplanationPtr of(const service::RunSnapshotPtr &run);
    [[nodiscard]] bool isComputing(const timeline::TimelinePtr &timeline) const { return m_jobs.contains(timeline); }
    /// Forgets the explanations of all other timelines, and cancels their jobs.
    void keep(const std::vector<timeline::TimelinePtr> &timelines);
    /// Slices up to which a timeline is explained at once, in a few milliseconds.
    static constexpr std::size_t kSlicesAtOnce = 10'000;

signals:
    /// An explanation was computed, or cannot be made.
    void arrived();

private:
    using Work = std::function<base::Result<simulate::Explanation>()>;
    [[nodiscard]] ExplanationPtr find(const timeline::TimelinePtr &timeline, const model::Experiment &experiment, Work work);

    EngineBridge *m_bridge;
    std::map<timeline::TimelinePtr, ExplanationPtr> m_known;
    std::map<timeline::TimelinePtr, service::JobId> m_jobs; ///< under way
};

} // namespace stagelens::ui
