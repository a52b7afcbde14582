// Two plans between which the passes fly: how they are matched, shown, scrubbed and exported.
#include "engine/model/family_shape.h"
#include "engine/service/engine_service.h"
#include "engine/simulate/memory.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/canvas/gif_writer.h"
#include "ui/canvas/mp4_writer.h"
#include "ui/morph/morph_panel.h"
#include "ui/timeline/held_activations.h"

#include <QFile>
#include <QImageReader>
#include <QPushButton>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QSlider>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>

#include <map>

namespace ui_morph_passes {

using namespace stagelens;
using namespace Qt::StringLiterals;
using schedule::PassKind;

namespace {

service::PredictionPtr planOf(const std::string &family, int devices, int microbatches,
                              model::VocabularyMethod method = model::VocabularyMethod::None)
{
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    model::chooseFamily(experiment.schedule, family);
    experiment.schedule.vocabulary = method;
    experiment.cost.source = model::UniformCosts{
        {{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}, {"S", 0.5}, {"T", 0.5}, {"EF", 0.1}, {"EB", 0.1}}, model::UniformPer::Device};
    auto plan = service::predict(experiment, 2);
    return plan ? *plan : nullptr;
}

/// Nanoseconds of all passes.
base::Nanos workOf(const timeline::Timeline &timeline)
{
    base::Nanos work = 0;
    for (const timeline::Lane &lane : timeline.lanes)
        for (std::size_t i = 0; i < lane.size(); ++i)
            work += lane.end[i] - lane.begin[i];
    return work;
}

struct Unmatched {
    int gone = 0;
    int fresh = 0;
};
Unmatched unmatchedOf(const ui::Morph &morph)
{
    Unmatched count;
    for (const ui::MorphPiece &piece : morph.pieces) {
        count.gone += piece.to ? 0 : 1;
        count.fresh += piece.from ? 0 : 1;
    }
    return count;
}

/// 1F1B whose last device spends a third of each pass in the output layer.
timeline::Timeline withOutputLayer(const timeline::Timeline &plain)
{
    timeline::Timeline made = plain;
    for (timeline::Lane &lane : made.lanes)
        lane.vocabulary.assign(lane.size(), 0);
    timeline::Lane &last = made.lanes.back();
    for (std::size_t i = 0; i < last.size(); ++i)
        last.vocabulary[i] = (last.end[i] - last.begin[i]) / 3;
    return made;
}

} // namespace

class MorphPasses : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void equalPlansStandStill()
    {
        const auto plan = planOf("1f1b", 4, 8);
        const ui::Morph morph = ui::morphBetween(*plan->timeline, *plan->timeline);
        QCOMPARE(morph.pieces.size(), plan->timeline->sliceCount());
        for (const ui::MorphPiece &piece : morph.pieces)
            QVERIFY(piece.from && piece.to && *piece.from == *piece.to);
    }

    void piecesCoverBothPlans_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<bool>("matches");
        const QStringList families{u"gpipe"_s, u"1f1b"_s,           u"zb-h1"_s,  u"zb-h2"_s,   u"interleaved-1f1b"_s,
                                   u"zb-v"_s,  u"interleaved-zb"_s, u"v-half"_s, u"chimera"_s, u"dualpipe"_s};
        for (const QString &from : families)
            for (const QString &to : families)
                QTest::addRow("%s to %s", qPrintable(from), qPrintable(to)) << from << to << true;
    }
    void piecesCoverBothPlans()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const auto a = planOf(from.toStdString(), 4, 8);
        const auto b = planOf(to.toStdString(), 4, 8);
        QVERIFY(a && b);
        const ui::Morph morph = ui::morphBetween(*a->timeline, *b->timeline);
        base::Nanos before = 0;
        base::Nanos after = 0;
        for (const ui::MorphPiece &piece : morph.pieces) {
            QVERIFY(piece.from || piece.to);
            before += piece.from ? piece.from->end - piece.from->begin : 0;
            after += piece.to ? piece.to->end - piece.to->begin : 0;
            const ui::MorphBox start = ui::boxAt(morph, piece, 0);
            const ui::MorphBox end = ui::boxAt(morph, piece, 1);
            if (piece.from)
                QVERIFY(start.begin == static_cast<double>(piece.from->begin) && start.lane == piece.from->device);
            if (piece.to)
                QVERIFY(end.begin == static_cast<double>(piece.to->begin) && end.lane == piece.to->device);
            QCOMPARE(start.opacity, piece.from ? 1.0 : 0.0);
            QCOMPARE(end.opacity, piece.to ? 1.0 : 0.0);
        }
        // Each plan's work is drawn once: nothing is lost, nothing twice.
        QCOMPARE(before, workOf(*a->timeline));
        QCOMPARE(after, workOf(*b->timeline));
        const Unmatched rest = unmatchedOf(morph);
        QVERIFY2(rest.gone == 0 && rest.fresh == 0, qPrintable(u"%1 vanish, %2 appear"_s.arg(rest.gone).arg(rest.fresh)));
    }

    void aSplitBackwardComesFromOneBackward()
    {
        const auto a = planOf("1f1b", 4, 8);
        const auto b = planOf("zb-h1", 4, 8);
        const ui::Morph morph = ui::morphBetween(*a->timeline, *b->timeline);
        QCOMPARE(morph.pieces.size(), std::size_t{4 * 8 * 3});
        int halves = 0;
        for (const ui::MorphPiece &piece : morph.pieces)
            if (piece.to->kind == PassKind::W) {
                QVERIFY(piece.from->kind == PassKind::B);
                ++halves;
            }
        QCOMPARE(halves, 4 * 8);
    }

    void theWallDissolvesIntoPassesOfEveryDevice()
    {
        const auto plain = planOf("1f1b", 4, 8);
        const auto split = planOf("1f1b", 4, 8, model::VocabularyMethod::Vocab2);
        QVERIFY(plain && split);
        const timeline::Timeline wall = withOutputLayer(*plain->timeline);
        const ui::Morph morph = ui::morphBetween(wall, *split->timeline);
        std::map<int, int> arrivals;
        for (const ui::MorphPiece &piece : morph.pieces) {
            if (!piece.from || !piece.to || !piece.from->isVocabulary)
                continue;
            QCOMPARE(piece.from->device, 3); // the wall
            QVERIFY(piece.to->kind == PassKind::S || piece.to->kind == PassKind::T);
            ++arrivals[piece.to->device];
        }
        QCOMPARE(arrivals, (std::map<int, int>{{0, 16}, {1, 16}, {2, 16}, {3, 16}})); // S and T of 8 microbatches
        base::Nanos before = 0;
        for (const ui::MorphPiece &piece : morph.pieces)
            before += piece.from ? piece.from->end - piece.from->begin : 0;
        QCOMPARE(before, workOf(wall));
    }

    void passesOfFewerMicrobatchesVanish()
    {
        const auto a = planOf("gpipe", 4, 8);
        const auto b = planOf("gpipe", 3, 5);
        const ui::Morph morph = ui::morphBetween(*a->timeline, *b->timeline);
        QCOMPARE(morph.devices, 4);
        QVERIFY(unmatchedOf(morph).gone > 0);
        QCOMPARE(morph.span(), a->timeline->makespan());
    }

    void theSvgIsSoundAndHasEveryPiece()
    {
        const auto a = planOf("1f1b", 4, 8);
        const auto b = planOf("interleaved-1f1b", 4, 8);
        const ui::Morph morph = ui::morphBetween(*a->timeline, *b->timeline);
        ui::MorphLook look;
        look.colours = &ui::colours(false);
        look.from = u"a < b"_s;
        look.to = u"b & c"_s;
        look.teachingUnits = true;
        const QString text = ui::morphSvg(morph, look, {1200, 500});
        QXmlStreamReader reader(text);
        std::size_t groups = 0;
        QString title;
        while (!reader.atEnd()) {
            if (reader.readNext() != QXmlStreamReader::StartElement)
                continue;
            if (reader.name() == u"g")
                ++groups;
            if (reader.name() == u"title") {
                title = reader.readElementText();
                continue;
            }
            if (!reader.attributes().hasAttribute(u"keyTimes"_s))
                continue;
            double before = -1;
            const QStringList times = reader.attributes().value(u"keyTimes"_s).toString().split(u';');
            QCOMPARE(times.size(), reader.attributes().value(u"values"_s).count(u';') + 1);
            for (const QString &time : times) {
                QVERIFY2(time.toDouble() >= before, qPrintable(time));
                before = time.toDouble();
            }
            QCOMPARE(before, 1.0);
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(groups, morph.pieces.size());
        QCOMPARE(title, u"a < b → b & c"_s);
        QVERIFY(QSvgRenderer(text.toUtf8()).isValid());
    }

    void aGifHasTheFramesAndColoursGiven()
    {
        if (!ui::canWriteGif()) {
            QVERIFY(!ui::gifOf({}).ok());
            QSKIP("this build has no giflib");
        }
        std::vector<ui::GifFrame> frames;
        for (const QColor colour : {QColor(0x2b, 0x6c, 0xb0), QColor(0xee, 0x9a, 0x3a), QColor(255, 255, 255)}) {
            QImage image(60, 40, QImage::Format_RGB32);
            image.fill(colour);
            frames.push_back({image, 120});
        }
        const auto bytes = ui::gifOf(frames);
        QVERIFY(bytes.ok());
        QByteArray data = QByteArray::fromStdString(*bytes);
        QBuffer buffer(&data);
        QImageReader reader(&buffer, "gif");
        QCOMPARE(reader.loopCount(), -1); // without end
        for (const ui::GifFrame &frame : frames) {
            const QImage read = reader.read();
            QCOMPARE(read.size(), QSize(60, 40));
            QCOMPARE(read.pixelColor(30, 20), frame.image.pixelColor(30, 20));
            QCOMPARE(reader.nextImageDelay(), 120);
        }
        QVERIFY(reader.read().isNull());
        QVERIFY(!ui::gifOf({}).ok());
        frames.back().image = QImage(10, 10, QImage::Format_RGB32);
        QVERIFY(!ui::gifOf(frames).ok());
    }

    void thePanelIsPlayedScrubbedAndExported()
    {
        const auto a = planOf("gpipe", 4, 8);
        const auto b = planOf("1f1b", 4, 8);
        ui::MorphPanel panel(nullptr);
        panel.resize(900, 360);
        panel.show();
        panel.setPlans({a->timeline, u"GPipe"_s}, {b->timeline, u"1F1B"_s}, true);
        const QImage before = panel.view()->grab().toImage();
        auto *slider = panel.findChild<QSlider *>(u"morph.slider"_s);
        QTest::mouseClick(slider, Qt::LeftButton, {}, {slider->width() - 2, slider->height() / 2});
        QVERIFY(panel.view()->progress() > 0);
        QVERIFY(panel.view()->grab().toImage() != before);
        QTest::keyClick(panel.view(), Qt::Key_Home);
        QCOMPARE(panel.view()->progress(), 0.0);
        QCOMPARE(panel.view()->grab().toImage(), before);
        QTest::keyClick(panel.view(), Qt::Key_Right);
        QCOMPARE(panel.view()->progress(), 0.02);
        QVERIFY(panel.view()->accessibleDescription().contains(u"2 %"_s));
        QTest::mouseClick(panel.findChild<QPushButton *>(u"morph.play"_s), Qt::LeftButton);
        QVERIFY(panel.isPlaying());
        QTRY_COMPARE_WITH_TIMEOUT(panel.view()->progress(), 1.0, test::kPatience);
        QVERIFY(!panel.isPlaying());
        QTest::keyClick(panel.view(), Qt::Key_Space); // from the beginning
        QVERIFY(panel.isPlaying() && panel.view()->progress() < 0.5);
        QTest::keyClick(panel.view(), Qt::Key_Space);
        QVERIFY(!panel.isPlaying());

        const QTemporaryDir folder;
        QSignalSpy exported(&panel, &ui::MorphPanel::exported);
        QSignalSpy failed(&panel, &ui::MorphPanel::failed);
        panel.exportTo(folder.filePath(u"a.svg"_s), u"svg"_s);
        QTRY_COMPARE(exported.size(), 1);
        QFile svg(folder.filePath(u"a.svg"_s));
        QVERIFY(svg.open(QIODevice::ReadOnly) && svg.readAll().contains("animateTransform"));
        panel.exportTo(folder.filePath(u"none/a.svg"_s), u"svg"_s);
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY2(failed.front().front().toString().size() > 20, qPrintable(failed.front().front().toString()));
        if (!ui::canWriteGif())
            return;
        panel.exportTo(folder.filePath(u"a.gif"_s), u"gif"_s);
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 2, test::kPatience);
        QVERIFY(QImageReader(folder.filePath(u"a.gif"_s)).imageCount() > 20);
    }

    void aVideoIsMadeByFfmpeg()
    {
        const QTemporaryDir folder;
        const QByteArray path = qgetenv("PATH");
        const QString file = folder.filePath(u"a.mp4"_s);
        const auto write = [&](int count) {
            return ui::writeMp4(file, {64, 32}, 30, count, [](int number) {
                QImage image(64, 32, QImage::Format_RGB32);
                image.fill(QColor::fromRgb(number, 2, 3));
                return image;
            });
        };
        const auto install = [&](const QByteArray &script) {
            QFile program(folder.filePath(u"ffmpeg"_s));
            QVERIFY(program.open(QIODevice::WriteOnly | QIODevice::Truncate));
            program.write("#!/bin/sh\n" + script);
            program.close();
            QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        };
        qputenv("PATH", folder.path().toUtf8()); // nothing but ours
        const auto absent = write(2);
        QVERIFY(!absent && !ui::canWriteMp4());
        QVERIFY2(absent.error().text().find("install the package ffmpeg") != std::string::npos, absent.error().text().c_str());
        // Keeps the frames as they come; the last argument is the file.
        install("for last; do :; done\n/bin/cat > \"$last\"\n");
        QVERIFY(ui::canWriteMp4());
        const auto written = write(3);
        QVERIFY2(written.ok(), written ? "" : written.error().text().c_str());
        QFile video(file);
        QVERIFY(video.open(QIODevice::ReadOnly));
        const QByteArray bytes = video.readAll();
        QCOMPARE(bytes.size(), 3 * 64 * 32 * 4);
        QCOMPARE(bytes.mid(2 * 64 * 32 * 4, 3), QByteArray("\x03\x02\x02", 3)); // the third frame: blue, green, red
        install("echo no such encoder >&2\nexit 1\n");
        const auto refused = write(2);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("no such encoder") != std::string::npos, refused.error().text().c_str());
        QVERIFY(!QFile::exists(file + u".part"_s) && QFile(file).size() == bytes.size()); // the old file is as it was
        qputenv("PATH", path);
    }

    void anExportOutlivesItsPanel()
    {
        const auto a = planOf("gpipe", 4, 8);
        const QTemporaryDir folder;
        {
            ui::MorphPanel panel(nullptr);
            panel.setPlans({a->timeline, u"A"_s}, {a->timeline, u"B"_s}, true);
            panel.exportTo(folder.filePath(u"a.svg"_s), u"svg"_s);
        }
        QTRY_VERIFY(QFile::exists(folder.filePath(u"a.svg"_s)));
        QCoreApplication::processEvents();
    }

    void tooManyPassesAreRefusedWithTheReason()
    {
        const auto a = planOf("1f1b", 16, 1024);
        ui::MorphPanel panel(nullptr);
        panel.setPlans({a->timeline, u"A"_s}, {a->timeline, u"B"_s}, true);
        QVERIFY(!panel.view()->morph());
        QVERIFY(!panel.findChild<QPushButton *>(u"morph.export"_s)->isEnabled());
        panel.togglePlaying();
        QVERIFY(!panel.isPlaying());
    }

    void stacksHoldWhatTheSimulationCounts()
    {
        const quint32 seed = QRandomGenerator::global()->generate();
        qInfo("seed %u", seed);
        QRandomGenerator random(seed);
        for (const char *family : {"gpipe", "1f1b", "zb-h1", "zb-h2", "eager-1f1b"}) {
            const auto plan =
                planOf(family, 2 + static_cast<int>(random.bounded(6U)), 4 + static_cast<int>(random.bounded(12U)));
            QVERIFY2(plan, family);
            double most = 0;
            for (int device = 0; device < plan->timeline->devices(); ++device)
                most =
                    std::max(most, simulate::peakActivationMicrobatches(*plan->timeline, plan->schedule->placement(), device));
            QCOMPARE(static_cast<double>(ui::mostHeld(*plan->timeline)), most);
            const timeline::Lane &lane = plan->timeline->lanes.front();
            QVERIFY(ui::heldAt(lane, plan->timeline->makespan()).empty());
            const base::Nanos time = random.bounded(static_cast<qint64>(plan->timeline->makespan()));
            // Counted in another way: forwards that have begun, less backwards that have ended.
            int begun = 0;
            for (std::size_t i = 0; i < lane.size(); ++i) {
                begun += lane.pass[i].kind == PassKind::F && lane.begin[i] <= time ? 1 : 0;
                begun -= (lane.pass[i].kind == PassKind::B || lane.pass[i].kind == PassKind::W) && lane.end[i] <= time ? 1 : 0;
            }
            QCOMPARE(static_cast<int>(ui::heldAt(lane, time).size()), begun);
        }
    }
};

STAGELENS_TEST(MorphPasses)

} // namespace ui_morph_passes

#include "morph_passes.moc"
