#include "ui/controllers/window_actions.h"

#include "engine/service/plans/launch.h"
#include "ui/controls/button_style.h"
#include "ui/words/language.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

#include <tuple>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

WindowActions::WindowActions(QAction *undoAction, QAction *redoAction, QObject *parent)
    : QObject(parent), undo(undoAction), redo(redoAction)
{
    undo->setShortcut(QKeySequence::Undo);
    redo->setShortcut(QKeySequence::Redo);
    newExperiment = make(u"new"_s, Words::tr("&New"), QKeySequence::New, Words::tr("The default plan: gpt-demo on 4 devices"));
    open = make(u"open"_s, Words::tr("&Open…"), QKeySequence::Open,
                Words::tr("Open an experiment, a model's config.json, or a schedule"));
    save = make(u"save"_s, Words::tr("&Save"), QKeySequence::Save, Words::tr("Save the experiment"));
    saveAs = make(u"save-as"_s, Words::tr("Save &as…"), QKeySequence(u"Ctrl+Shift+S"_s),
                  Words::tr("Save the experiment under another name"));
    importRun = make(u"import-run"_s, Words::tr("&Import a measured timeline…"), {},
                     Words::tr("Chrome or Kineto traces with events named PP:0F0, of all ranks"));
    exportPng = make(u"export-png"_s, Words::tr("P&NG…"), {}, u"stagelens --export FILE --format png"_s);
    exportSvg = make(u"export-svg"_s, Words::tr("&SVG…"), {}, u"stagelens --export FILE --format svg"_s);
    exportPdf = make(u"export-pdf"_s, Words::tr("P&DF…"), {}, u"stagelens --export FILE --format pdf"_s);
    exportTrace = make(u"export-chrome-trace"_s, Words::tr("&Chrome trace…"), {},
                       Words::tr("With messages and memory; opens in Perfetto (stagelens-cli export --format chrome-trace)"));
    exportCsv = make(u"export-csv"_s, Words::tr("&CSV…"), {}, Words::tr("A row for each pass; in Sweep, for each result"));
    exportJson = make(u"export-json"_s, Words::tr("&JSON…"), {}, Words::tr("With every figure; in Sweep, of each result"));
    quit = make(u"quit"_s, Words::tr("&Quit"), QKeySequence::Quit, Words::tr("Close the window"));
    copyPicture = make(u"copy-picture"_s, Words::tr("&Copy picture"), QKeySequence(u"Ctrl+Shift+C"_s),
                       Words::tr("The timeline as an image"));
    pinBaseline = make(u"pin-baseline"_s, Words::tr("Use this plan as &baseline"), QKeySequence(u"Ctrl+B"_s),
                       Words::tr("Differences are shown against this plan from now on"));
    unpinBaseline = make(u"unpin-baseline"_s, Words::tr("Use &1F1B as baseline"), QKeySequence(u"Ctrl+Shift+B"_s),
                         Words::tr("The baseline is 1F1B without vocabulary parallelism again"));
    applyAdvice = make(u"apply-advice"_s, Words::tr("Do what the &headline proposes"), QKeySequence(u"Ctrl+Return"_s),
                       Words::tr("The one change that helps most"));
    searchSchedules = make(u"search-schedules"_s, Words::tr("Find the &fastest schedule"), QKeySequence(u"Ctrl+Shift+F"_s),
                           Words::tr("Tries every schedule with every vocabulary method, cut and number of chunks, and takes "
                                     "the fastest that fits. Undo takes it back."));
    levers = make(u"levers"_s, Words::tr("&Levers…"), QKeySequence(u"Ctrl+L"_s),
                  Words::tr("What recomputation, schedules and other changes save and cost"));
    shapes = make(u"shapes"_s, Words::tr("S&hapes that fit…"), QKeySequence(u"Ctrl+P"_s),
                  Words::tr("Which division of the GPUs into pipeline, tensor, context and data ranks is best"));
    makeScheduleActions();
    train = make(u"train"_s, Words::tr("&Train"), Qt::Key_F5, {});
    train->setIcon(glyphIcon(Glyph::Play));
    trainCopy = make(u"train-copy"_s, Words::tr("Train a scaled &copy here…"), Qt::Key_F5, {});
    trainCopy->setIconText(Words::tr("Train a copy…"));
    trainCopy->setIcon(glyphIcon(Glyph::Play));
    trainCopy->setEnabled(false);
    stop =
        make(u"stop"_s, Words::tr("&Stop"), QKeySequence(u"Shift+F5"_s), Words::tr("Stop the run; what was measured is kept"));
    stop->setIcon(glyphIcon(Glyph::Stop));
    fit = make(u"fit"_s, Words::tr("&Fit the whole iteration"), QKeySequence(u"Ctrl+0"_s),
               Words::tr("Show all of the time axis (0 over the picture)"));
    explore = make(u"explore"_s, Words::tr("&Explore"), QKeySequence(u"Ctrl+1"_s), Words::tr("One plan: predict, train, ask"));
    compare = make(u"compare"_s, Words::tr("&Compare"), QKeySequence(u"Ctrl+2"_s),
                   Words::tr("Two to six runs, predictions or experiments on one axis"));
    sweep =
        make(u"sweep"_s, Words::tr("S&weep"), QKeySequence(u"Ctrl+3"_s), Words::tr("Many plans at once, in two linked plots"));
    learn = make(u"learn"_s, Words::tr("&Learn"), QKeySequence(u"Ctrl+4"_s), Words::tr("What the schedules and methods are"));
    modes = new QActionGroup(this);
    for (QAction *mode : {explore, compare, sweep, learn}) {
        mode->setCheckable(true);
        modes->addAction(mode);
    }
    explore->setChecked(true);
    importModel = make(u"import-model"_s, Words::tr("Import a &Hugging Face config.json…"), {},
                       Words::tr("The model of a config.json (GPT-2 or Llama) takes the place of this one"));
    calibrate =
        make(u"calibrate"_s, Words::tr("&Measure this computer"), {},
             Words::tr("Times a few passes, about a second: predictions for this computer use them. Best with nothing else "
                       "running"));
    copyHardware = make(u"copy-hardware"_s, Words::tr("&Copy and edit…"), {},
                        Words::tr("A cluster of your own: nodes, links, collectives, memory, price"));
    for (const service::LaunchFormat &format : service::launchFormats()) {
        exportLaunch << make(u"export-"_s + qtText(format.format), qtText(format.caption) + u"…"_s, {},
                             Words::tr("What starts this plan there, and what it leaves out (stagelens-cli export --format %1)")
                                 .arg(qtText(format.format)));
        exportLaunch.back()->setData(qtText(format.format));
    }
    settings =
        make(u"settings"_s, Words::tr("All &settings"), QKeySequence(u"Ctrl+E"_s), Words::tr("Every field of the experiment"));
    makePictureActions();
    nextPane =
        make(u"next-pane"_s, Words::tr("Next &pane"), Qt::Key_F6, Words::tr("Walk through strip, editor, timeline and runs"));
    systemAppearance =
        make(u"appearance-system"_s, Words::tr("Like the &desktop"), {}, Words::tr("Dark where the desktop is dark"));
    light = make(u"appearance-light"_s, Words::tr("&Light"), {}, Words::tr("Light colours"));
    dark = make(u"appearance-dark"_s, Words::tr("&Dark"), {}, Words::tr("Dark colours"));
    auto *appearances = new QActionGroup(this);
    for (QAction *appearance : {systemAppearance, light, dark}) {
        appearance->setCheckable(true);
        appearances->addAction(appearance);
    }
    systemAppearance->setChecked(true);
    makeLanguages();
    keys = make(u"keys"_s, Words::tr("&Keys and mouse"), QKeySequence(u"?"_s), Words::tr("What every key does"));
    about = make(u"about"_s, Words::tr("&About Stagelens"), {}, {});
}

void WindowActions::makeLanguages()
{
    languages = new QActionGroup(this);
    const auto add = [this](const QString &code, const QString &name) {
        QAction *language = make(u"language-"_s + (code.isEmpty() ? u"system"_s : code), name, {}, {});
        language->setData(code);
        language->setCheckable(true);
        languages->addAction(language);
    };
    add({}, Words::tr("Like the desktop"));
    for (const Language &each : ui::languages())
        add(each.code, each.name);
    languages->actions().constFirst()->setChecked(true);
}

void WindowActions::makeScheduleActions()
{
    editSchedule = make(u"edit-schedule"_s, Words::tr("&Edit schedule as text…"), QKeySequence(u"Ctrl+Shift+E"_s),
                        Words::tr("The order of passes beside the picture; passes can then be dragged"));
    editSchedule->setCheckable(true);
    costsFromRun = make(u"costs-from-run"_s, Words::tr("&Costs from the run that is shown"), {},
                        Words::tr("Predicts with the measured duration of each pass; messages are free then"));
    costsFromRun->setEnabled(false);
    openSchedule =
        make(u"open-schedule"_s, Words::tr("Import s&chedule…"), {}, Words::tr("PyTorch's CSV, or Stagelens' text form"));
    writeSchedule = make(u"write-schedule"_s, Words::tr("E&xport schedule…"), {},
                         Words::tr("As PyTorch's CSV or as text: stagelens-cli export --format torch-csv"));
}

void WindowActions::makePictureActions()
{
    // The keys behind a tab are the picture's own: typed elsewhere they are letters.
    find = make(u"find"_s, Words::tr("&Find in the picture…"), QKeySequence::Find,
                Words::tr("Search passes: B 17, stage 3, device 2 (/ over the picture)"));
    criticalPath =
        make(u"critical-path"_s, Words::tr("&Critical path\tC"), {}, Words::tr("What makes the iteration as long as it is"));
    criticalPath->setCheckable(true);
    play = make(u"play"_s, Words::tr("&Play\tSpace"), {}, Words::tr("Moves through the iteration, with a caption"));
    presentation =
        make(u"presentation"_s, Words::tr("P&resentation"), Qt::Key_F11, Words::tr("The page in front alone, in larger type"));
    presentation->setCheckable(true);
    lecture = make(u"lecture"_s, Words::tr("L&ecture…"), QKeySequence(u"Ctrl+Shift+L"_s),
                   Words::tr("Scenes with notes in a file: present them, or export them as slides"));
    asTable = make(u"as-table"_s, Words::tr("As &table"), QKeySequence(u"Ctrl+T"_s), Words::tr("The same passes as rows"));
    asTable->setCheckable(true);
    topology = make(u"topology"_s, Words::tr("T&opology"), QKeySequence(u"Ctrl+Shift+T"_s),
                    Words::tr("Which ranks share a node, and which links their groups use"));
    topology->setCheckable(true);
    morph = make(u"morph"_s, Words::tr("&Morph from the baseline"), QKeySequence(u"Ctrl+M"_s),
                 Words::tr("The passes of the baseline fly to their places in this plan"));
    morph->setCheckable(true);
    colourBy = new QActionGroup(this);
    for (const auto &[name, caption] :
         {std::pair{u"kind"_s, Words::tr("&Pass kind")}, std::pair{u"microbatch"_s, Words::tr("&Microbatch")},
          std::pair{u"chunk"_s, Words::tr("&Chunk")}, std::pair{u"slack"_s, Words::tr("&Slack")}}) {
        QAction *colour = make(u"colour-"_s + name, caption, {}, {});
        colour->setCheckable(true);
        colourBy->addAction(colour);
    }
    colourBy->actions().constFirst()->setChecked(true);
    lanes = new QActionGroup(this);
    for (const auto &[name, caption, tip] :
         {std::tuple{u"devices"_s, Words::tr("&Devices"), Words::tr("A lane for each pipeline device")},
          std::tuple{u"streams"_s, Words::tr("Devices and &streams"),
                     Words::tr("Below each lane: what is exchanged and copied, by dimension")},
          std::tuple{u"ranks"_s, Words::tr("Devices, streams and &ranks"),
                     Words::tr("Below each lane also the ranks that it stands for")}}) {
        QAction *detail = make(u"lanes-"_s + name, caption, {}, tip);
        detail->setCheckable(true);
        lanes->addAction(detail);
    }
    lanes->actions().constFirst()->setChecked(true);
}

QAction *WindowActions::make(const QString &name, const QString &caption, const QKeySequence &key, const QString &tip)
{
    auto *action = new QAction(caption, this);
    action->setObjectName(u"action."_s + name);
    action->setShortcut(key);
    const QString keyText = key.toString(QKeySequence::NativeText);
    if (!tip.isEmpty())
        action->setToolTip(plainTip(keyText.isEmpty() ? tip : u"%1 (%2)"_s.arg(tip, keyText)));
    return action;
}

void WindowActions::fill(QMenuBar *bar, const QList<QAction *> &panels)
{
    QMenu *file = bar->addMenu(Words::tr("&File"));
    file->addActions({newExperiment, open});
    recent = file->addMenu(Words::tr("Open &recent"));
    examples = file->addMenu(Words::tr("&Examples"));
    file->addSeparator();
    file->addActions({save, saveAs});
    file->addActions({importModel, importRun, openSchedule, writeSchedule});
    exports = file->addMenu(Words::tr("Export &picture"));
    exports->addActions({exportPng, exportSvg, exportPdf});
    dataExports = file->addMenu(Words::tr("Export &data"));
    dataExports->addActions({exportTrace, exportCsv, exportJson});
    launchExports = file->addMenu(Words::tr("Export &launch"));
    launchExports->addActions(exportLaunch);
    file->addSeparator();
    file->addAction(quit);
    bar->addMenu(Words::tr("&Edit"))->addActions({undo, redo, copyPicture});
    bar->addMenu(Words::tr("E&xperiment"))
        ->addActions(
            {settings, editSchedule, costsFromRun, shapes, levers, searchSchedules, applyAdvice, pinBaseline, unpinBaseline});
    bar->addMenu(Words::tr("&Run"))->addActions({train, trainCopy, stop});
    QMenu *view = bar->addMenu(Words::tr("&View"));
    view->addActions(modes->actions());
    view->addSeparator();
    view->addActions({fit, find, criticalPath, play});
    view->addMenu(Words::tr("Colour &by"))->addActions(colourBy->actions());
    view->addMenu(Words::tr("La&nes"))->addActions(lanes->actions());
    view->addActions({asTable, topology, morph, presentation, lecture, nextPane});
    view->addSeparator();
    view->addActions(panels);
    view->addSeparator();
    view->addMenu(Words::tr("&Appearance"))->addActions({systemAppearance, light, dark});
    view->addMenu(Words::tr("Lan&guage"))->addActions(languages->actions());
    bar->addMenu(Words::tr("&Help"))->addActions({keys, about});
    for (QMenu *menu : bar->findChildren<QMenu *>())
        menu->setToolTipsVisible(true);
}

QString keyTable()
{
    const QList<std::pair<QString, QString>> rows = {
        {Words::tr("Wheel, Ctrl+wheel; W S"), Words::tr("zoom time at the cursor")},
        {Words::tr("Shift+wheel, sideways wheel; A D; drag"), Words::tr("pan time")},
        {Words::tr("Shift+drag, drag on the ruler"), Words::tr("select a range, with statistics")},
        {Words::tr("M, Shift+M"), Words::tr("bookmark that range or remove its bookmark; go to the next bookmark")},
        {Words::tr("Wheel over the lane names; PgUp PgDn"), Words::tr("scroll the lanes")},
        {u"P"_s, Words::tr("pin the lane under the pointer to the top, or let it scroll again")},
        {u"Ctrl+Plus, Ctrl+Minus"_s, Words::tr("height of the lanes")},
        {Words::tr("Click; ← → ↑ ↓"), Words::tr("select a pass; previous, next pass, lane. A click on a gap explains it")},
        {u"[ ]"_s, Words::tr("what the selected pass waited for; what waits for it")},
        {u"F; 0, Ctrl+0; Alt+← →"_s, Words::tr("fit the selection; fit all; view history")},
        {u"Ctrl+F, /"_s, Words::tr("search: B 17, stage 3, device 2")},
        {u"C"_s, Words::tr("critical path")},
        {Words::tr("Space"), Words::tr("play and pause")},
        {u"Ctrl+T"_s, Words::tr("the picture as a table")},
        {u"Ctrl+M"_s, Words::tr("morph: the baseline's passes fly to their places in this plan")},
        {u"Ctrl+B; Ctrl+Shift+B"_s, Words::tr("use this plan as baseline; 1F1B again")},
        {u"Ctrl+Return"_s, Words::tr("do what the headline proposes")},
        {u"F5; Shift+F5"_s, Words::tr("train; stop")},
        {u"Ctrl+Z; Ctrl+Shift+Z"_s, Words::tr("undo; redo")},
        {Words::tr("Ctrl+1 to Ctrl+4"), Words::tr("Explore, Compare, Sweep, Learn")},
        {u"Ctrl+E"_s, Words::tr("all settings")},
        {u"Ctrl+Shift+F"_s, Words::tr("finds the fastest schedule that fits")},
        {u"Ctrl+L"_s, Words::tr("levers: what each change of the plan saves and costs")},
        {u"Ctrl+Shift+T"_s, Words::tr("topology: the nodes with their ranks")},
        {u"Ctrl+P"_s, Words::tr("shapes that fit: how to divide the GPUs")},
        {u"E; Ctrl+Shift+E"_s, Words::tr("the schedule as text; drag passes along their lane, or an end to slow its device")},
        {u"Alt+Shift+← →"_s, Words::tr("while it is edited: move the selected pass earlier, later")},
        {u"F6; F11"_s, Words::tr("next pane; presentation")},
        {u"Ctrl+Shift+L"_s, Words::tr("lecture: scenes with notes, to be presented")},
        {Words::tr("Return; Space; F2; T; N; C; Delete"),
         Words::tr("in the table of runs: show, tick, rename, tags, note, compare, delete; Shift and Ctrl select several")},
        {u"Ctrl+Shift+C"_s, Words::tr("copy the picture")},
        {u"Esc"_s, Words::tr("clears the selection, leaves a mode or reverts a field; it never stops a run")},
        {u"?"_s, Words::tr("this table")},
    };
    QString table = u"<table cellpadding='3'>"_s;
    for (const auto &[key, effect] : rows)
        table += u"<tr><td><b>%1</b></td><td>%2</td></tr>"_s.arg(key, effect);
    return table + u"</table>"_s;
}

} // namespace stagelens::ui
