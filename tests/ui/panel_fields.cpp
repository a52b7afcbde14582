// The table of fields and the editor made from it.
#include "engine/model/family_shape.h"
#include "engine/service/engine_service.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/controls/button_style.h"
#include "ui/controls/number_box.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/field_editor.h"
#include "ui/state/experiment_document.h"
#include "ui/state/fields.h"
#include "ui/strip/method_picker.h"
#include "ui/timeline/search_line.h"
#include "ui/words/method_groups.h"
#include "ui/words/words.h"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>
#include <set>

namespace ui_panel_fields {

using namespace stagelens;
using namespace Qt::StringLiterals;

class PanelFields : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }
    void everyFieldReadsBackWhatItWrites();
    void widthsFollowWhileInProportion();
    void aHeadMayHaveAWidthOfItsOwn();
    void choosingAPresetFillsTheModel();
    void onlyScheduleIsOpenAtFirst();
    void rowsAppearWithTheirCosts();
    void rowsAppearWithTheirFamily();
    void rowsAppearWithTheirOptimizer();
    void documentUndoesOpening();
    void aScheduleFileBringsItsPlan();
    void aNumberIsTypedBetweenPrefixAndSuffix();
    void groupsAndSearchHaveDrawnArrows();
    void everyFamilySaysHowItReads();
    void chunksOfLogitsAreChosenByKeys();
};

void PanelFields::groupsAndSearchHaveDrawnArrows()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    editor.show();
    auto *header = editor.findChild<QToolButton *>(u"group.Devices"_s);
    const auto pictureOf = [](const QToolButton &button) { return button.icon().pixmap(16, 16).toImage(); };
    QCOMPARE(header->arrowType(), Qt::NoArrow);
    const QImage folded = pictureOf(*header);
    QCOMPARE(folded, ui::glyphIcon(ui::Glyph::Next).pixmap(16, 16).toImage());
    QTest::mouseClick(header, Qt::LeftButton);
    QCOMPARE(pictureOf(*header), ui::glyphIcon(ui::Glyph::Open).pixmap(16, 16).toImage());
    QTest::mouseClick(header, Qt::LeftButton);
    QCOMPARE(pictureOf(*header), folded);
    QWidget window;
    ui::SearchLine search(&window);
    const auto arrows = search.findChildren<QToolButton *>();
    QCOMPARE(arrows.size(), 2);
    for (const QToolButton *arrow : arrows)
        QVERIFY(arrow->arrowType() == Qt::NoArrow && !arrow->icon().isNull());
}

void PanelFields::chunksOfLogitsAreChosenByKeys()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    editor.show();
    auto *combo = editor.findChild<QComboBox *>(u"schedule.vocabulary_kind"_s);
    QVERIFY(combo != nullptr);
    const model::Experiment before = document.experiment();
    const auto &schedule = [&]() -> const model::ScheduleChoice & { return document.experiment().schedule; };
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(combo, Qt::Key_Down);
    QCOMPARE(combo->currentText(), u"4 chunks"_s);
    QCOMPARE(schedule().vocabularyKind, model::VocabularyKind::Chunked);
    QCOMPARE(schedule().logitChunks, 4);
    document.undoStack().undo();
    QCOMPARE(schedule().logitChunks, 2);
    QCOMPARE(combo->currentText(), u"2 chunks"_s);
    while (document.undoStack().canUndo())
        document.undoStack().undo();
    QCOMPARE(document.experiment(), before);
    QCOMPARE(combo->currentText(), u"Kept"_s);
    model::Experiment other = before; // a count that is not offered
    other.schedule.vocabularyKind = model::VocabularyKind::Chunked;
    other.schedule.logitChunks = 5;
    document.edit(u"schedule.vocabulary_kind"_s, u"Logits"_s, other);
    QCOMPARE(combo->currentText(), u"chunked=5"_s);
}

/// In its tooltip, and at the foot of the picker for the row under the pointer or the arrow keys.
void PanelFields::everyFamilySaysHowItReads()
{
    ui::ExperimentDocument document;
    const ui::Field &field = ui::field(u"schedule.family"_s);
    ui::MethodPicker picker(field, &document);
    QWidget chip;
    chip.show();
    picker.openBelow(chip);
    auto *foot = picker.findChild<QLabel *>(u"picker.schedule.family.reading"_s);
    std::set<QString> readings;
    for (const ui::Choice &choice : field.choices) {
        const QString reading = ui::methodReading(field.id, choice.value);
        QVERIFY2(!reading.isEmpty() && readings.insert(reading).second, qPrintable(choice.value));
        QTreeWidgetItem *row = picker.row(choice.value);
        QVERIFY(row->toolTip(0).contains(reading.toHtmlEscaped()) || row->toolTip(0).contains(reading));
        picker.table()->scrollToItem(row);
        const QRect place = picker.table()->visualItemRect(row);
        QTest::mouseMove(picker.table()->viewport(), place.center());
        QTRY_COMPARE(foot->text(), reading);
        QVERIFY(foot->heightForWidth(foot->width()) <= foot->height());
    }
    QVERIFY(ui::methodReading(field.id, u"v-half"_s).startsWith(u"Each chunk is half of a device's layers"_s));
    picker.table()->setCurrentItem(picker.row(u"gpipe"_s));
    QTest::keyClick(picker.table(), Qt::Key_Down);
    QCOMPARE(foot->text(), ui::methodReading(field.id, u"1f1b"_s));
    QTest::keyClick(picker.table(), Qt::Key_Up);
    QCOMPARE(foot->text(), ui::methodReading(field.id, u"gpipe"_s));
    QEvent leave(QEvent::Leave);
    QTest::mouseMove(picker.table()->viewport(), picker.table()->visualItemRect(picker.row(u"1f1b"_s)).center());
    QTRY_COMPARE(foot->text(), ui::methodReading(field.id, u"1f1b"_s));
    QApplication::sendEvent(picker.table()->viewport(), &leave); // the current row again
    QCOMPARE(foot->text(), ui::methodReading(field.id, u"gpipe"_s));
    picker.hide();
}

void PanelFields::everyFieldReadsBackWhatItWrites()
{
    for (const ui::Field &field : ui::fields()) {
        model::Experiment experiment;
        if (field.id == u"schedule.file"_s)
            experiment.schedule.family = "custom";
        else if (field.id == u"schedule.chunks"_s || field.id == u"schedule.group_size"_s)
            experiment.schedule.family = "interleaved-1f1b";
        else if (field.id == u"schedule.waves"_s)
            experiment.schedule.family = "hanayo";
        else if (field.id == u"model.kv_heads"_s || field.id == u"model.head_dim"_s)
            experiment.model.family = model::ModelFamily::Llama;
        else if (field.id == u"schedule.vocabulary_order"_s)
            experiment.schedule.vocabulary = model::VocabularyMethod::Vocab1;
        else if (field.id == u"model.experts"_s)
            experiment.model.family = model::ModelFamily::Llama;
        else if (field.id == u"model.top_k"_s || field.id == u"model.expert_ffn"_s || field.id.endsWith(u"_loss"_s))
            experiment.model.experts = 4;
        else if (const QStringList ofExperts{u"model.shared_experts"_s, u"model.dense_layers"_s, u"model.expert_every"_s,
                                             u"model.router"_s, u"model.capacity_factor"_s};
                 ofExperts.contains(field.id))
            experiment.model.experts = 4;
        else if (field.id.startsWith(u"model.router_"_s)) {
            experiment.model.experts = 4;
            experiment.model.router = model::RouterScore::Sigmoid;
        } else if (field.id == u"model.drop_rule"_s) {
            experiment.model.experts = 4;
            experiment.model.capacityFactor = 1.5;
        } else if (field.id == u"parallel.expert"_s)
            experiment.model.experts = 4;
        else if (const QStringList ofExpertRanks{u"parallel.expert_headroom"_s, u"parallel.expert_dispatch"_s,
                                                 u"parallel.dispatch_precision"_s, u"what_if.expert_skew"_s};
                 ofExpertRanks.contains(field.id))
            experiment.parallel.expert = 2;
        else if (field.id == u"schedule.sequence_slices"_s || field.id == u"schedule.slice_cut"_s)
            experiment.schedule.family = "seq1f1b";
        else if (field.id == u"training.gradient_compression"_s || field.id == u"parallel.sync_every"_s)
            experiment.parallel.replicas = 2;
        else if (field.id == u"training.gradient_compression_after"_s)
            experiment.training.compression = operators::parseCompression("sign").choice;
        else if (const QStringList ofHosts{u"schedule.offload_parameters"_s, u"schedule.offload_lanes"_s,
                                           u"schedule.host_bandwidth"_s, u"schedule.host_memory"_s};
                 ofHosts.contains(field.id))
            experiment.schedule.offloadOptimizer = true;
        else if (field.id == u"training.loss_scale"_s)
            experiment.model.dtype = model::DataType::Fp16;
        else if (field.id == u"parallel.zero2"_s)
            experiment.parallel.zero = 2;
        else if (field.id == u"parallel.zero3"_s)
            experiment.parallel.zero = 3;
        else if (field.id == u"parallel.sequence_parallel"_s || field.id == u"parallel.vocabulary_sharding"_s)
            experiment.parallel.tensor = 2;
        else if (field.id == u"parallel.context_method"_s)
            experiment.parallel.context = 2;
        else if (field.id == u"training.optimizer.momentum"_s)
            experiment.training.optimizer.name = "sgd";
        else if (field.id == u"training.optimizer.table_lr"_s)
            experiment.training.optimizer.name = "muon";
        else if (field.id == u"training.optimizer.scale_parameter"_s)
            experiment.training.optimizer.name = "adafactor";
        else if (field.id == u"what_if.draws"_s)
            experiment.whatIf.jitter = 0.1;
        else if (field.id == u"what_if.restart_seconds"_s)
            experiment.whatIf.failureInterval = 24;
        else if (field.id == u"cost.durations"_s)
            experiment.cost.source = model::DurationsFile{};
        else if (field.id.startsWith(u"cost.uniform."_s) || field.id == u"cost.per"_s)
            experiment.cost.source = model::UniformCosts{};
        QVERIFY2(!field.applies || field.applies(experiment), qPrintable(field.id));
        std::vector<QVariant> values;
        switch (field.kind) {
        case ui::Field::Kind::Integer:
        case ui::Field::Kind::Size: values = {7, 3}; break;
        case ui::Field::Kind::Real: values = {0.5, 2.0}; break;
        case ui::Field::Kind::Flag: values = {true, false}; break;
        case ui::Field::Kind::Text:
            values = field.id == u"training.optimizer.betas"_s ? std::vector<QVariant>{u"0.8, 0.99"_s}
                                                               : std::vector<QVariant>{u"1/2/3"_s, QString()};
            break;
        case ui::Field::Kind::File: values = {u"a.csv"_s}; break;
        case ui::Field::Kind::Choice:
            for (const ui::Choice &choice : field.choices)
                values.emplace_back(choice.value);
            QVERIFY2(values.size() > 1, qPrintable(field.id));
            break;
        }
        for (const QVariant &value : values) {
            if (field.id == u"model.preset"_s && value.toString() == u"custom"_s)
                continue; // a state, not a thing to choose
            model::Experiment changed = experiment;
            field.setValue(changed, value);
            QCOMPARE(field.value(changed), value);
        }
        QVERIFY2(!field.caption.isEmpty() && !field.tip.isEmpty() && !field.option.isEmpty(), qPrintable(field.id));
    }
}

void PanelFields::widthsFollowWhileInProportion()
{
    model::Experiment experiment;
    ui::field(u"model.hidden"_s).setValue(experiment, 256);
    QCOMPARE(experiment.model.ffn, 1024);
    QCOMPARE(experiment.model.preset, std::string("custom"));
    ui::field(u"model.ffn"_s).setValue(experiment, 600);
    ui::field(u"model.hidden"_s).setValue(experiment, 128);
    QCOMPARE(experiment.model.ffn, 600);
    ui::field(u"model.heads"_s).setValue(experiment, 8);
    QCOMPARE(experiment.model.kvHeads, 8);
}

void PanelFields::aHeadMayHaveAWidthOfItsOwn()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    editor.setOpenGroups({u"Model"_s});
    editor.show();
    auto *width = editor.findChild<QSpinBox *>(u"model.head_dim"_s);
    QVERIFY(width && !width->isVisible()); // GPT-2 divides the hidden width
    const auto choose = [&](const QString &id, const QVariant &value) {
        model::Experiment next = document.experiment();
        ui::field(id).setValue(next, value);
        document.edit(id, id, next);
        document.closeGesture();
    };
    // gemma-2-9b: 16 heads of 256 in a hidden width of 3584, which makes 224.
    choose(u"model.preset"_s, u"gemma-2-9b"_s);
    QVERIFY(width->isVisible());
    QCOMPARE(width->text(), u"256"_s);
    QVERIFY2(width->toolTip().contains(u"--head-dim"_s), qPrintable(width->toolTip()));
    width->setValue(0);
    QCOMPARE(width->text(), u"hidden / heads"_s);
    QVERIFY(!document.experiment().model.headDim);
    QCOMPARE(document.experiment().model.headSize(), 224);
    QCOMPARE(document.experiment().model.preset, std::string("custom"));
    document.closeGesture();
    document.undoStack().undo();
    QCOMPARE(document.experiment().model.headDim, std::optional(256));
    QCOMPARE(document.experiment().model.preset, std::string("gemma-2-9b"));
    QCOMPARE(width->text(), u"256"_s);
    // What rotary positions cannot turn is refused at this field; other widths make it what it was.
    choose(u"model.head_dim"_s, 7);
    const base::Problems problems = model::validate(document.experiment());
    QVERIFY(std::ranges::any_of(problems, [](const base::Problem &each) { return each.field == "model.head_dim"; }));
    choose(u"model.heads"_s, 8);
    QCOMPARE(width->text(), u"hidden / heads"_s);
    // A file may give it to GPT-2, which is refused: the field is there to mend it.
    model::Experiment gpt;
    gpt.model.headDim = 48;
    QVERIFY(ui::field(u"model.head_dim"_s).applies(gpt));
}

void PanelFields::choosingAPresetFillsTheModel()
{
    model::Experiment experiment;
    experiment.model.hidden = 64;
    ui::field(u"model.preset"_s).setValue(experiment, u"gpt-demo"_s);
    QCOMPARE(experiment.model, model::ModelConfig{});
    ui::field(u"model.preset"_s).setValue(experiment, QString());
    QVERIFY(!experiment.hasModel);
    QVERIFY(model::validate(experiment).empty());
}

void PanelFields::onlyScheduleIsOpenAtFirst()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    QCOMPARE(editor.openGroups(), QStringList{u"Schedule"_s});
    editor.show();
    auto *devices = editor.findChild<QSpinBox *>(u"parallel.devices"_s);
    QVERIFY(!devices->isVisible());
    QTest::mouseClick(editor.findChild<QToolButton *>(u"group.Devices"_s), Qt::LeftButton);
    QVERIFY(devices->isVisible());
    devices->setValue(2);
    QCOMPARE(document.experiment().parallel.devices, 2);
}

void PanelFields::rowsAppearWithTheirCosts()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    editor.setOpenGroups({u"Costs"_s});
    editor.show();
    auto *forward = editor.findChild<QWidget *>(u"cost.uniform.F"_s);
    QVERIFY(!forward->isVisible());
    model::Experiment uniform = document.experiment();
    ui::field(u"cost.hardware"_s).setValue(uniform, u"uniform"_s);
    document.edit(u"cost.hardware"_s, u"Costs"_s, uniform);
    QVERIFY(forward->isVisible());
    document.undoStack().undo();
    QVERIFY(!forward->isVisible());
}

void PanelFields::rowsAppearWithTheirOptimizer()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    editor.setOpenGroups({u"Training"_s});
    editor.show();
    const auto isShown = [&](const char *option) {
        return editor.findChild<QWidget *>(u"training.optimizer."_s + QLatin1StringView(option))->isVisible();
    };
    const auto choose = [&](const QString &name) {
        model::Experiment next = document.experiment();
        ui::field(u"training.optimizer.name"_s).setValue(next, name);
        document.edit(u"training.optimizer.name"_s, name, next);
    };
    const model::Experiment first = document.experiment();
    QVERIFY(isShown("betas") && !isShown("momentum") && !isShown("table_lr") && !isShown("scale_parameter"));
    choose(u"sgd"_s);
    QVERIFY(!isShown("betas") && isShown("momentum"));
    QCOMPARE(document.experiment().training.optimizer.learningRate, 0.1); // its usual one
    choose(u"muon"_s);
    QVERIFY(isShown("betas") && isShown("momentum") && isShown("table_lr"));
    choose(u"adafactor"_s);
    QVERIFY(isShown("scale_parameter") && !isShown("table_lr"));
    choose(u"adamw"_s);
    QVERIFY(document.experiment().training == first.training);
}

void PanelFields::rowsAppearWithTheirFamily()
{
    ui::ExperimentDocument document;
    ui::ExperimentEditor editor(&document);
    editor.show();
    const auto isShown = [&](const QString &id) { return editor.findChild<QWidget *>(id)->isVisible(); };
    const auto choose = [&](const QString &id, const QString &value) {
        model::Experiment next = document.experiment();
        ui::field(id).setValue(next, value);
        document.edit(id, id, next);
    };
    QVERIFY(!isShown(u"schedule.chunks"_s) && !isShown(u"schedule.waves"_s) && !isShown(u"schedule.vocabulary_order"_s));
    choose(u"schedule.family"_s, u"interleaved-1f1b"_s);
    QVERIFY(isShown(u"schedule.chunks"_s) && isShown(u"schedule.group_size"_s));
    auto *chunks = editor.findChild<QSpinBox *>(u"schedule.chunks"_s);
    QCOMPARE(chunks->value(), 2);
    chunks->setValue(4);
    QCOMPARE(model::stagesPerDevice(document.experiment().schedule), 4);
    choose(u"schedule.family"_s, u"hanayo"_s);
    QVERIFY(!isShown(u"schedule.chunks"_s) && isShown(u"schedule.waves"_s));
    choose(u"schedule.vocabulary"_s, u"vocab-2"_s);
    QVERIFY(isShown(u"schedule.vocabulary_order"_s));
}

void PanelFields::documentUndoesOpening()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(u"mine.stagelens.json"_s);
    ui::ExperimentDocument document;
    model::Experiment eight;
    eight.parallel.devices = 8;
    document.edit(u"parallel.devices"_s, u"Devices"_s, eight);
    QVERIFY(document.save(file).ok());
    QCOMPARE(document.title(), u"Mine"_s);
    QVERIFY(!document.isChanged());
    document.replace(model::Experiment{}, {}, u"Other"_s);
    QCOMPARE(document.experiment().parallel.devices, 4);
    document.undoStack().undo();
    QCOMPARE(document.experiment().parallel.devices, 8);
    QCOMPARE(document.file(), file);
    QVERIFY(document.open(file).ok());
    QCOMPARE(document.experiment().parallel.devices, 8);
    QVERIFY(!document.open(folder.filePath(u"absent.json"_s)).ok());
    QCOMPARE(document.file(), file);
}

void PanelFields::aScheduleFileBringsItsPlan()
{
    const QTemporaryDir folder;
    const QString name = folder.filePath(u"mine.csv"_s);
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n") > 0);
    file.close();
    ui::ExperimentDocument document;
    model::Experiment experiment = document.experiment();
    ui::field(u"schedule.family"_s).setValue(experiment, u"custom"_s);
    ui::field(u"schedule.file"_s).setValue(experiment, name);
    QCOMPARE(experiment.parallel.devices, 2);
    QCOMPARE(experiment.parallel.microbatches, 1);
    QCOMPARE(experiment.schedule.chunks, 2);
    QCOMPARE(ui::planCaption(experiment), u"Custom: mine.csv · 2 devices × 1 microbatches"_s);
    experiment.parallel.replicas = 3;
    QCOMPARE(ui::planCaption(experiment), u"Custom: mine.csv · 2 devices × 1 microbatches × 3 replicas"_s);
    QVERIFY(ui::planNote(experiment).startsWith(u"6 ranks = 2 devices × 3 replicas."_s));
    for (const char *id : {"parallel.replicas", "parallel.zero"}) // in the window's settings
        QVERIFY(std::ranges::any_of(ui::fieldGroups(),
                                    [id](const auto &group) { return std::ranges::count(group.ids, QLatin1String(id)) == 1; }));
    // Saved and opened again, it is the same plan, and it can be predicted.
    document.edit(u"schedule.file"_s, u"Schedule file"_s, experiment);
    const QString saved = folder.filePath(u"mine.stagelens.json"_s);
    QVERIFY(document.save(saved).ok());
    ui::ExperimentDocument again;
    QVERIFY(again.open(saved).ok());
    QCOMPARE(again.experiment().schedule.file, experiment.schedule.file);
    QVERIFY(service::predict(again.experiment(), 2).ok());
    // Another family leaves the file behind.
    ui::field(u"schedule.family"_s).setValue(experiment, u"gpipe"_s);
    QVERIFY(experiment.schedule.file.empty());
    QVERIFY(model::validate(experiment).empty());
}

void PanelFields::aNumberIsTypedBetweenPrefixAndSuffix()
{
    ui::NumberBox box;
    box.setRange(0, 10'000);
    box.setPrefix(u"at most "_s);
    box.setSuffix(u" %"_s);
    box.setValue(5);
    box.selectAll();
    QTest::keyClicks(&box, u"2k"_s);
    QTest::keyClick(&box, Qt::Key_Return);
    QCOMPARE(box.value(), 2000);
    QTest::keyClick(&box, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&box, Qt::Key_Backspace);
    QCOMPARE(box.text(), u"at most  %"_s); // what is around the number cannot be deleted,
    box.selectAll();                       // or Qt selects from before the text and warns
    QTest::keyClicks(&box, u"x"_s);
    QCOMPARE(box.text(), u"at most x %"_s); // so that "1x3" is not taken for 13
    QTest::keyClicks(&box, u",2"_s);
    QTest::keyClick(&box, Qt::Key_Return); // "x,2" is no number: the value before stays
    QCOMPARE(box.value(), 2000);
    QCOMPARE(box.text(), u"at most 2,000 %"_s);
    auto *line = box.findChild<QLineEdit *>();
    QTest::mouseDClick(line, Qt::LeftButton, {}, line->rect().center());
    QCOMPARE(line->selectedText(), u"2,000"_s); // on both sides of the comma
}

STAGELENS_TEST(PanelFields)

} // namespace ui_panel_fields

#include "panel_fields.moc"
