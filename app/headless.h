// Pictures without a display: exports of the timeline, and screenshots of the whole window.
#pragma once

#include "engine/base/result.h"

#include <QSize>
#include <QString>

#include <filesystem>
#include <optional>

namespace stagelens::app {

struct ExportRequest {
    QString file;
    QString format;     ///< png, svg, pdf, gif or mp4; png is a folder of frames if `from` is named
    QString experiment; ///< file; empty where a run is drawn
    QString from;       ///< file of the plan from which an animation (svg, gif, mp4) leads to `experiment`; empty: a picture
    std::optional<qint64> run;
    std::optional<int> step; ///< of the run; its typical step where none is given
    std::filesystem::path database;
    QSize size;
};
[[nodiscard]] base::Result<> exportTimeline(const ExportRequest &request);

struct ScreenshotRequest {
    QString file;
    QString scene = QStringLiteral("first-start");
    QString experiment;             ///< opened in place of the demo
    std::filesystem::path database; ///< empty: a temporary one
    QSize size;
    bool dark = false;
};
/// The window after what a scene (scenes.h) does in it.
[[nodiscard]] base::Result<> takeScreenshot(const ScreenshotRequest &request);

} // namespace stagelens::app
