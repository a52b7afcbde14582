#include "ui/controllers/window_actions.h"

#include "engine/service/launch.h"
#include "ui/controls/button_style.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

WindowActions::WindowActions(QAction *undoAction, QAction *redoAction, QObject *parent)
    : QObject(parent), undo(undoAction), redo(redoAction)
{
    undo->setShortcut(QKeySequence::Undo);
    redo->setShortcut(QKeySequence::Redo);
    newExperiment = make(u"new"_s, u"&New"_s, QKeySequence::New, u"The default plan: gpt-demo on 4 devices"_s);
    open = make(u"open"_s, u"&Open…"_s, QKeySequence::Open, u"Open an experiment, a model's config.json, or a schedule"_s);
    save = make(u"save"_s, u"&Save"_s, QKeySequence::Save, u"Save the experiment"_s);
    saveAs = make(u"save-as"_s, u"Save &as…"_s, QKeySequence(u"Ctrl+Shift+S"_s), u"Save the experiment under another name"_s);
    importRun = make(u"import-run"_s, u"&Import a measured timeline…"_s, {},
                     u"Chrome or Kineto traces with events named PP:0F0, of all ranks"_s);
    exportPng = make(u"export-png"_s, u"P&NG…"_s, {}, u"stagelens --export FILE --format png"_s);
    exportSvg = make(u"export-svg"_s, u"&SVG…"_s, {}, u"stagelens --export FILE --format svg"_s);
    exportPdf = make(u"export-pdf"_s, u"P&DF…"_s, {}, u"stagelens --export FILE --format pdf"_s);
    exportTrace = make(u"export-chrome-trace"_s, u"&Chrome trace…"_s, {},
                       u"With messages and memory; opens in Perfetto (stagelens-cli export --format chrome-trace)"_s);
    exportCsv = make(u"export-csv"_s, u"&CSV…"_s, {}, u"A row for each pass; in Sweep, for each result"_s);
    exportJson = make(u"export-json"_s, u"&JSON…"_s, {}, u"With every figure; in Sweep, of each result"_s);
    quit = make(u"quit"_s, u"&Quit"_s, QKeySequence::Quit, u"Close the window"_s);
    copyPicture = make(u"copy-picture"_s, u"&Copy picture"_s, QKeySequence(u"Ctrl+Shift+C"_s), u"The timeline as an image"_s);
    pinBaseline = make(u"pin-baseline"_s, u"Use this plan as &baseline"_s, QKeySequence(u"Ctrl+B"_s),
                       u"Differences are shown against this plan from now on"_s);
    unpinBaseline = make(u"unpin-baseline"_s, u"Use &1F1B as baseline"_s, QKeySequence(u"Ctrl+Shift+B"_s),
                         u"The baseline is 1F1B without vocabulary parallelism again"_s);
    applyAdvice = make(u"apply-advice"_s, u"Do what the &headline proposes"_s, QKeySequence(u"Ctrl+Return"_s),
                       u"The one change that helps most"_s);
    makeScheduleActions();
    train = make(u"train"_s, u"&Train"_s, Qt::Key_F5, {});
    train->setIcon(glyphIcon(Glyph::Play));
    trainCopy = make(u"train-copy"_s, u"Train a scaled &copy here…"_s, Qt::Key_F5, {});
    trainCopy->setIconText(u"Train a scaled copy here…"_s);
    trainCopy->setIcon(glyphIcon(Glyph::Play));
    trainCopy->setEnabled(false);
    stop = make(u"stop"_s, u"&Stop"_s, QKeySequence(u"Shift+F5"_s), u"Stop the run; what was measured is kept"_s);
    stop->setIcon(glyphIcon(Glyph::Stop));
    fit = make(u"fit"_s, u"&Fit the whole iteration"_s, QKeySequence(u"Ctrl+0"_s),
               u"Show all of the time axis (0 over the picture)"_s);
    explore = make(u"explore"_s, u"&Explore"_s, QKeySequence(u"Ctrl+1"_s), u"One plan: predict, train, ask"_s);
    compare = make(u"compare"_s, u"&Compare"_s, QKeySequence(u"Ctrl+2"_s),
                   u"Two to six runs, predictions or experiments on one axis"_s);
    sweep = make(u"sweep"_s, u"S&weep"_s, QKeySequence(u"Ctrl+3"_s), u"Many plans at once, in two linked plots"_s);
    learn = make(u"learn"_s, u"&Learn"_s, QKeySequence(u"Ctrl+4"_s), u"What the schedules and methods are"_s);
    modes = new QActionGroup(this);
    for (QAction *mode : {explore, compare, sweep, learn}) {
        mode->setCheckable(true);
        modes->addAction(mode);
    }
    explore->setChecked(true);
    importModel = make(u"import-model"_s, tr("Import a &Hugging Face config.json…"), {},
                       tr("The model of a config.json (GPT-2 or Llama) takes the place of this one"));
    copyHardware = make(u"copy-hardware"_s, tr("&Copy and edit…"), {},
                        tr("A cluster of your own: nodes, links, collectives, memory, price"));
    for (const service::LaunchFormat &format : service::launchFormats()) {
        exportLaunch << make(u"export-"_s + qtText(format.name), qtText(format.caption) + u"…"_s, {},
                             tr("What starts this plan there, and what it leaves out (stagelens-cli export --format %1)")
                                 .arg(qtText(format.name)));
        exportLaunch.back()->setData(qtText(format.name));
    }
    settings = make(u"settings"_s, tr("All &settings"), QKeySequence(u"Ctrl+E"_s), tr("Every field of the experiment"));
    makePictureActions();
    nextPane = make(u"next-pane"_s, u"Next &pane"_s, Qt::Key_F6, u"Walk through strip, editor, timeline and runs"_s);
    systemAppearance = make(u"appearance-system"_s, u"Like the &system"_s, {}, u"Dark where the desktop is dark"_s);
    light = make(u"appearance-light"_s, u"&Light"_s, {}, u"Light colours"_s);
    dark = make(u"appearance-dark"_s, u"&Dark"_s, {}, u"Dark colours"_s);
    auto *appearances = new QActionGroup(this);
    for (QAction *appearance : {systemAppearance, light, dark}) {
        appearance->setCheckable(true);
        appearances->addAction(appearance);
    }
    systemAppearance->setChecked(true);
    keys = make(u"keys"_s, u"&Keys and mouse"_s, QKeySequence(u"?"_s), u"What every key does"_s);
    about = make(u"about"_s, u"&About Stagelens"_s, {}, {});
}

void WindowActions::makeScheduleActions()
{
    editSchedule = make(u"edit-schedule"_s, u"&Edit schedule as text…"_s, QKeySequence(u"Ctrl+Shift+E"_s),
                        u"The order of passes beside the picture; passes can then be dragged"_s);
    editSchedule->setCheckable(true);
    costsFromRun = make(u"costs-from-run"_s, u"&Costs from the run that is shown"_s, {},
                        u"Predicts with the measured duration of each pass; messages are free then"_s);
    costsFromRun->setEnabled(false);
    openSchedule = make(u"open-schedule"_s, u"Open a s&chedule…"_s, {}, u"PyTorch's CSV, or Stagelens' text form"_s);
    writeSchedule = make(u"write-schedule"_s, u"&Write the schedule…"_s, {},
                         u"As PyTorch's CSV or as text: stagelens-cli export --format torch-csv"_s);
}

void WindowActions::makePictureActions()
{
    // The keys behind a tab are the picture's own: typed elsewhere they are letters.
    find = make(u"find"_s, u"&Find in the picture…"_s, QKeySequence::Find,
                u"Search passes: B 17, stage 3, device 2 (/ over the picture)"_s);
    criticalPath = make(u"critical-path"_s, u"&Critical path\tC"_s, {}, u"What makes the iteration as long as it is"_s);
    criticalPath->setCheckable(true);
    play = make(u"play"_s, u"&Play\tSpace"_s, {}, u"Moves through the iteration, with a caption"_s);
    presentation =
        make(u"presentation"_s, u"P&resentation"_s, Qt::Key_F11, u"Timeline, legend and caption alone, in larger type"_s);
    presentation->setCheckable(true);
    asTable = make(u"as-table"_s, u"As &table"_s, QKeySequence(u"Ctrl+T"_s), u"The same passes as rows"_s);
    asTable->setCheckable(true);
    morph = make(u"morph"_s, Words::tr("&Morph from the baseline"), QKeySequence(u"Ctrl+M"_s),
                 Words::tr("The passes of the baseline fly to their places in this plan"));
    morph->setCheckable(true);
    colourBy = new QActionGroup(this);
    for (const auto &[name, caption] : {std::pair{u"kind"_s, u"&Pass kind"_s}, std::pair{u"microbatch"_s, u"&Microbatch"_s},
                                        std::pair{u"chunk"_s, u"&Chunk"_s}, std::pair{u"slack"_s, u"&Slack"_s}}) {
        QAction *colour = make(u"colour-"_s + name, caption, {}, {});
        colour->setCheckable(true);
        colourBy->addAction(colour);
    }
    colourBy->actions().constFirst()->setChecked(true);
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
    QMenu *file = bar->addMenu(u"&File"_s);
    file->addActions({newExperiment, open});
    recent = file->addMenu(u"Open &recent"_s);
    examples = file->addMenu(u"&Examples"_s);
    file->addSeparator();
    file->addActions({save, saveAs});
    file->addActions({importModel, importRun, openSchedule, writeSchedule});
    exports = file->addMenu(u"Export &picture"_s);
    exports->addActions({exportPng, exportSvg, exportPdf});
    dataExports = file->addMenu(u"Export &data"_s);
    dataExports->addActions({exportTrace, exportCsv, exportJson});
    launchExports = file->addMenu(u"Export &launch"_s);
    launchExports->addActions(exportLaunch);
    file->addSeparator();
    file->addAction(quit);
    bar->addMenu(u"&Edit"_s)->addActions({undo, redo, copyPicture});
    bar->addMenu(u"E&xperiment"_s)->addActions({settings, editSchedule, costsFromRun, applyAdvice, pinBaseline, unpinBaseline});
    bar->addMenu(u"&Run"_s)->addActions({train, trainCopy, stop});
    QMenu *view = bar->addMenu(u"&View"_s);
    view->addActions(modes->actions());
    view->addSeparator();
    view->addActions({fit, find, criticalPath, play});
    view->addMenu(u"Colour &by"_s)->addActions(colourBy->actions());
    view->addActions({asTable, morph, presentation, nextPane});
    view->addSeparator();
    view->addActions(panels);
    view->addSeparator();
    view->addMenu(u"&Appearance"_s)->addActions({systemAppearance, light, dark});
    bar->addMenu(u"&Help"_s)->addActions({keys, about});
    for (QMenu *menu : bar->findChildren<QMenu *>())
        menu->setToolTipsVisible(true);
}

QString keyTable()
{
    const QList<std::pair<QString, QString>> rows = {
        {u"Wheel, Ctrl+wheel; W S"_s, u"zoom time at the cursor"_s},
        {u"Shift+wheel, sideways wheel; A D; drag"_s, u"pan time"_s},
        {u"Shift+drag, drag on the ruler"_s, u"select a range, with statistics"_s},
        {u"Wheel over the lane names; PgUp PgDn"_s, u"scroll the lanes"_s},
        {u"Ctrl+Plus, Ctrl+Minus"_s, u"height of the lanes"_s},
        {u"Click; ← → ↑ ↓"_s, u"select a pass; previous, next pass, lane. A click on a gap explains it"_s},
        {u"[ ]"_s, u"what the selected pass waited for; what waits for it"_s},
        {u"F; 0, Ctrl+0; Alt+← →"_s, u"fit the selection; fit all; view history"_s},
        {u"Ctrl+F, /"_s, u"search: B 17, stage 3, device 2"_s},
        {u"C"_s, u"critical path"_s},
        {u"Space"_s, u"play and pause"_s},
        {u"Ctrl+T"_s, u"the picture as a table"_s},
        {u"Ctrl+M"_s, Words::tr("morph: the baseline's passes fly to their places in this plan")},
        {u"Ctrl+B; Ctrl+Shift+B"_s, u"use this plan as baseline; 1F1B again"_s},
        {u"Ctrl+Return"_s, u"do what the headline proposes"_s},
        {u"F5; Shift+F5"_s, u"train; stop"_s},
        {u"Ctrl+Z; Ctrl+Shift+Z"_s, u"undo; redo"_s},
        {u"Ctrl+1 to Ctrl+4"_s, u"Explore, Compare, Sweep, Learn"_s},
        {u"Ctrl+E"_s, WindowActions::tr("all settings")},
        {u"Ctrl+Shift+E"_s, u"the schedule as text, and passes that can be dragged along their lane"_s},
        {u"Alt+Shift+← →"_s, u"while it is edited: move the selected pass earlier, later"_s},
        {u"F6; F11"_s, u"next pane; presentation"_s},
        {u"Return; Space; F2; T; N; C; Delete"_s,
         WindowActions::tr(
             "in the table of runs: show, tick, rename, tags, note, compare, delete; Shift and Ctrl select several")},
        {u"Ctrl+Shift+C"_s, u"copy the picture"_s},
        {u"Esc"_s, u"clears the selection, leaves a mode or reverts a field; it never stops a run"_s},
        {u"?"_s, u"this table"_s},
    };
    QString table = u"<table cellpadding='3'>"_s;
    for (const auto &[key, effect] : rows)
        table += u"<tr><td><b>%1</b></td><td>%2</td></tr>"_s.arg(key, effect);
    return table + u"</table>"_s;
}

} // namespace stagelens::ui
