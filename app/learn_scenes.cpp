#include "app/learn_scenes.h"

#include "app/wait_for.h"
#include "engine/base/file.h"
#include "ui/controllers/window_actions.h"
#include "ui/learn/card_list.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/lesson_runs.h"
#include "ui/learn/tour.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/shell/main_window.h"
#include "ui/words/words.h"

#include <filesystem>
#include <fmt/format.h>

namespace stagelens::app {

using namespace Qt::StringLiterals;

namespace {

QString stepOf(const QString &scene)
{
    return scene.section(u'#', 1).section(u'+', 0, 0);
}

bool trains(const QString &scene)
{
    return scene.section(u'#', 1).endsWith(u"+train"_s);
}

} // namespace

bool isLearnScene(const QString &scene)
{
    return scene == u"learn"_s || scene.startsWith(u"learn:"_s);
}

base::Result<> checkLearnScene(const QString &scene)
{
    const QString page = scene.section(u':', 1).section(u'#', 0, 0);
    const auto file = base::resourceFolder() / "docs" / ui::utf8(page);
    std::error_code ignored;
    if (page.isEmpty())
        return {};
    if (!std::filesystem::is_regular_file(file, ignored))
        return base::Error::invalid("--scene", ui::utf8(u"there is no page '%1'; name a file below docs"_s.arg(page)));
    const QString step = stepOf(scene);
    if (step.isEmpty())
        return {};
    const auto tour = ui::readTour(file);
    if (!tour)
        return tour.error();
    if (step.toInt() < 1 || step.toUInt() > tour->steps.size())
        return base::Error::invalid("--scene", fmt::format("the steps of {} are 1 to {}", ui::utf8(page), tour->steps.size()));
    if (trains(scene) && tour->steps[step.toUInt() - 1].plan.runs.empty())
        return base::Error::invalid(
            "--scene", fmt::format("step {} of {} offers no runs; leave out +train", step.toUInt(), ui::utf8(page)));
    return {};
}

void playLearnScene(ui::MainWindow &window, const QString &scene)
{
    window.actions().learn->trigger();
    const auto *cards = window.learnPage().findChild<ui::CardList *>();
    waitFor([cards] { return cards->isDrawn(); });
    if (const QString page = scene.section(u':', 1); !page.isEmpty()) {
        window.learnPage().showPage(page.section(u'#', 0, 0));
        window.learnPage().lesson()->showStep(stepOf(scene).toInt() - 1);
    }
    if (trains(scene)) {
        ui::LessonRuns &runs = *window.learnPage().lesson()->picture()->runs();
        waitFor([&runs] { return runs.isReady(); });
        runs.train();
        waitFor([&runs] { return !runs.isTraining(); });
    }
}

} // namespace stagelens::app
