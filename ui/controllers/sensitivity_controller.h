// What the what-ifs of the open plan cost, computed in the background.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/words/what_if_words.h"

#include <QObject>

namespace stagelens::ui {

class EngineBridge;
class ExplorePage;
class Forecast;
class LatestJob;

/// Starts a job for each plan that has what-ifs, and gives the answer to Explore. The job of an older plan is cancelled.
class SensitivityController : public QObject {
    Q_OBJECT
public:
    SensitivityController(EngineBridge *bridge, Forecast *forecast, ExplorePage *page, QObject *parent = nullptr);

    /// Of the plan of the moment; null without what-ifs, and while they are being computed.
    [[nodiscard]] const SensitivityPtr &answer() const { return m_answer; }
    [[nodiscard]] bool isComputing() const;
    /// The answer takes noticeably long.
    [[nodiscard]] bool isLate() const;

signals:
    void changed();
    void failed(const QString &words);

private:
    void follow();
    void take(base::Result<service::Sensitivity> answer);

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    ExplorePage *m_page;
    LatestJob *m_job;
    service::PredictionPtr m_plan; ///< that the answer is of, or will be
    SensitivityPtr m_answer;
};

} // namespace stagelens::ui
