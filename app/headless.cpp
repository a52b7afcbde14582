#include "app/headless.h"

#include "app/scenes.h"
#include "engine/model/experiment_json.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"
#include "ui/canvas/colours.h"
#include "ui/controls/theme.h"
#include "ui/morph/animation_writer.h"
#include "ui/morph/morph_painter.h"
#include "ui/morph/morph_view.h"
#include "ui/pages/picture_export.h"
#include "ui/shell/main_window.h"
#include "ui/state/lane_groups.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>
#include <QTemporaryDir>
#include <fmt/format.h>

namespace stagelens::app {

using namespace Qt::StringLiterals;
using ui::qtText;
using ui::utf8;

namespace {

/// The lanes of an experiment's prediction or of a stored run.
base::Result<ui::TimelineContent> contentOf(const ExportRequest &request)
{
    ui::TimelineContent content;
    if (request.run) {
        auto record = service::StoredRuns(request.database).load(*request.run, request.step);
        if (!record)
            return std::move(record).error();
        if (!record->timeline)
            return base::Error::failed(fmt::format("run {} ended before its first step, so it has no timeline", *request.run));
        ui::LaneGroup group;
        group.timeline = record->timeline;
        if (auto schedule = service::scheduleOf(record->experiment))
            group.schedule = std::make_shared<const schedule::Schedule>(*std::move(schedule));
        group.metrics = record->metrics.value_or(simulate::Metrics{});
        group.caption = ui::caption(record->summary.kind) + ui::Words::tr(" · run %1").arg(*request.run);
        content.groups.push_back(std::move(group));
        return content;
    }
    const auto experiment = model::loadExperiment(utf8(request.experiment));
    if (!experiment)
        return experiment.error();
    const auto prediction = service::predict(*experiment, service::machineCores());
    if (!prediction)
        return prediction.error();
    content.groups.push_back(ui::predictedGroup(*prediction));
    content.teachingUnits = ui::inTeachingUnits(*experiment);
    return content;
}

/// The passes of the plan `from` that fly to their places in the experiment.
base::Result<> exportAnimation(const ExportRequest &request)
{
    std::vector<ui::MorphSide> sides;
    std::vector<bool> units;
    for (const QString &file : {request.from, request.experiment}) {
        const auto experiment = model::loadExperiment(utf8(file));
        if (!experiment)
            return experiment.error();
        const auto prediction = service::predict(*experiment, service::machineCores());
        if (!prediction)
            return prediction.error();
        sides.push_back({(*prediction)->timeline, ui::planCaption((*prediction)->experiment)});
        units.push_back(ui::inTeachingUnits(*experiment));
    }
    if (units[0] != units[1])
        return base::Error::invalid("--from", "one plan is in teaching units and the other in time; give two of one kind");
    const auto morph = std::make_shared<const ui::Morph>(ui::morphBetween(*sides[0].timeline, *sides[1].timeline));
    if (morph->pieces.size() > ui::kMostExportedPieces)
        return base::Error::invalid(
            "--from", fmt::format("the plans have {} passes, and an animation {} at most; use fewer microbatches or devices",
                                  morph->pieces.size(), ui::kMostExportedPieces));
    ui::MorphView view(nullptr);
    view.setMorph(morph, sides[0], sides[1], units[0]);
    return ui::writeAnimation(*morph, view.look(), ui::animationFile(request.file, request.format), request.format);
}

} // namespace

base::Result<> exportTimeline(const ExportRequest &request)
{
    if (!request.from.isEmpty())
        return exportAnimation(request);
    auto content = contentOf(request);
    if (!content)
        return std::move(content).error();
    ui::ViewState view;
    ui::TimelineView timeline(&view);
    timeline.setContent(*std::move(content));
    return ui::exportPicture(ui::pictureOf(timeline, request.size), request.file, request.format);
}

base::Result<> takeScreenshot(const ScreenshotRequest &request)
{
    if (auto known = checkScene(request.scene); !known)
        return known;
    if (!request.experiment.isEmpty())
        if (const auto readable = model::loadExperiment(utf8(request.experiment)); !readable)
            return readable.error();
    const QTemporaryDir folder;
    const bool dark = request.dark || request.scene == u"dark"_s;
    ui::applyAppearance(dark ? ui::Appearance::Dark : ui::Appearance::Light);
    ui::WindowOptions options;
    options.database = request.database.empty() ? std::filesystem::path(utf8(folder.filePath(u"runs.db"_s))) : request.database;
    options.file = request.experiment;
    options.remember = false;
    ui::MainWindow window(options);
    window.resize(request.size);
    window.show();
    if (auto played = playScene(window, request.scene); !played)
        return played;
    // Layout requests and queued repaints come before the picture.
    for (int round = 0; round < 5; ++round)
        QApplication::processEvents();
    QPixmap picture = window.grab();
    QPainter painter(&picture);
    for (QWidget *other : window.findChildren<QWidget *>()) { // windows of their own, which grab() leaves out
        if (!other->isWindow() || !other->isVisible())
            continue;
        const bool isPopup = other->windowType() == Qt::Popup;
        const QPoint place = isPopup ? other->pos() - window.pos() : window.rect().center() - other->rect().center();
        painter.drawPixmap(place, other->grab());
        painter.setPen(ui::mix(window.palette().color(QPalette::WindowText), window.palette().color(QPalette::Window), 0.4));
        painter.drawRect(QRect(place, other->size()).adjusted(-1, -1, 0, 0));
    }
    painter.end();
    return ui::saveImage(picture.toImage(), request.file);
}

} // namespace stagelens::app
