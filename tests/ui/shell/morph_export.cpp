// The animation of a morph as a file: the dialog that asks for its name and format, frames in a folder, and how many passes.
#include "engine/model/family_shape.h"
#include "engine/service/engine_service.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/canvas/gif_writer.h"
#include "ui/canvas/mp4_writer.h"
#include "ui/morph/morph_panel.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QTimer>

#include <array>
#include <csignal>
#include <sys/resource.h>

namespace ui_shell_morph_export {

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {

ui::MorphSide planOf(const std::string &family, int microbatches,
                     model::VocabularyMethod method = model::VocabularyMethod::None)
{
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = microbatches;
    model::chooseFamily(experiment.schedule, family);
    experiment.schedule.vocabulary = method;
    experiment.cost.source =
        model::UniformCosts{{{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}, {"S", 0.5}, {"T", 1}}, model::UniformPer::Device};
    const auto plan = service::predict(experiment, 2);
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return {(*plan)->timeline, QString::fromStdString(family)};
}

QByteArray contentsOf(const QString &file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

} // namespace

class ShellMorphExport : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_panel.reset(); }
    void theFileIsOfTheChosenKind_data();
    void theFileIsOfTheChosenKind();
    void framesNeedAFolderOfTheirOwn();
    void aFullDiskLeavesNothing();
    void aClosedWindowFinishesItsFrames();
    void tooManyPassesAreNeverExported();
    void patternsAreThoseOfTheTimeline();

private:
    QPushButton &button() { return *m_panel->findChild<QPushButton *>(u"morph.export"_s); }
    /// Presses the button, chooses the filter by keys, types the name if one is given, and confirms with Return.
    void exportThroughDialog(const QString &suffix, const QString &typed);

    std::unique_ptr<ui::MorphPanel> m_panel;
};

void ShellMorphExport::init()
{
    test::failOnWarnings();
    m_panel = std::make_unique<ui::MorphPanel>(nullptr);
    m_panel->resize(900, 360);
    m_panel->show();
    m_panel->setPlans(planOf("gpipe", 4), planOf("1f1b", 4), true);
}

void ShellMorphExport::exportThroughDialog(const QString &suffix, const QString &typed)
{
    bool isChosen = false;
    QTimer::singleShot(0, m_panel.get(), [&] { // the dialog has an event loop of its own
        QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
        auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
        auto *kinds = dialog->findChild<QComboBox *>(u"fileTypeCombo"_s);
        auto *name = dialog->findChild<QLineEdit *>(u"fileNameEdit"_s);
        QTRY_VERIFY(kinds->isVisible());
        kinds->setFocus();
        QTest::keyClick(kinds, Qt::Key_Home);
        for (int step = 0; step < kinds->count() && !kinds->currentText().contains(u"*."_s + suffix); ++step)
            QTest::keyClick(kinds, Qt::Key_Down);
        isChosen = kinds->currentText().contains(u"*."_s + suffix);
        if (!typed.isEmpty()) {
            name->setFocus();
            name->selectAll();
            QTest::keyClicks(name, typed);
        }
        QTest::keyClick(name, Qt::Key_Return);
        if (auto *left = QApplication::activeModalWidget()) // a question that nothing here expects
            qWarning("%s is still open", qPrintable(left->windowTitle()));
    });
    QTest::mouseClick(&button(), Qt::LeftButton);
    QVERIFY(isChosen);
}

void ShellMorphExport::theFileIsOfTheChosenKind_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QByteArray>("begins");
    QTest::newRow("GIF, the proposed name") << u"gif"_s << QString() << u"morph.gif"_s << QByteArray("GIF89a");
    QTest::newRow("GIF, a name without a suffix") << u"gif"_s << u"flight"_s << u"flight.gif"_s << QByteArray("GIF89a");
    QTest::newRow("SVG, but a GIF is typed") << u"svg"_s << u"typed.gif"_s << u"typed.gif"_s << QByteArray("GIF89a");
    QTest::newRow("SVG, a name without a suffix") << u"svg"_s << u"flight"_s << u"flight.svg"_s << QByteArray("<svg");
    QTest::newRow("frames, the proposed name") << u"png"_s << QString() << u"morph/0001.png"_s << QByteArray("\x89PNG");
    QTest::newRow("frames, a name without a suffix")
        << u"png"_s << u"frames"_s << u"frames/0180.png"_s << QByteArray("\x89PNG");
}

void ShellMorphExport::theFileIsOfTheChosenKind()
{
    QFETCH(QString, suffix);
    QFETCH(QString, typed);
    QFETCH(QString, expected);
    QFETCH(QByteArray, begins);
    if (begins.startsWith("GIF") && !ui::canWriteGif())
        QSKIP("this build has no giflib");
    const QTemporaryDir folder;
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(folder.path()));
    QSignalSpy exported(m_panel.get(), &ui::MorphPanel::exported);
    exportThroughDialog(suffix, typed);
    QVERIFY(QDir::setCurrent(before));
    QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, test::kPatience);
    QVERIFY2(contentsOf(folder.filePath(expected)).startsWith(begins),
             qPrintable(QDir(folder.path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries).join(u' ')));
    QVERIFY(button().isEnabled());
}

void ShellMorphExport::framesNeedAFolderOfTheirOwn()
{
    const QTemporaryDir folder;
    QSignalSpy exported(m_panel.get(), &ui::MorphPanel::exported);
    QSignalSpy failed(m_panel.get(), &ui::MorphPanel::failed);
    const QString frames = folder.filePath(u"a"_s);
    m_panel->exportTo(frames, u"png"_s);
    QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, test::kPatience);
    const QStringList names = QDir(frames).entryList(QDir::Files, QDir::Name);
    QCOMPARE(names.size(), 180); // 6 seconds
    QCOMPARE(names.front(), u"0001.png"_s);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList{u"a"_s});
    const QImage first(frames + u"/0001.png"_s);
    QCOMPARE(first.size(), QSize(1280, 536));
    QVERIFY(first != QImage(frames + u"/0180.png"_s));
    m_panel->exportTo(frames, u"png"_s); // what is there stays
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY2(failed.front().front().toString().contains(u"choose another name"_s),
             qPrintable(failed.front().front().toString()));
    m_panel->exportTo(folder.filePath(u"none/a"_s), u"png"_s);
    QTRY_COMPARE(failed.size(), 2);
    QCOMPARE(exported.size(), 1);
}

/// A file may have 1,000 bytes, as if the disk were full after them: nothing is left, and the message names the file.
void ShellMorphExport::aFullDiskLeavesNothing()
{
    const QTemporaryDir folder;
    QSignalSpy failed(m_panel.get(), &ui::MorphPanel::failed);
    struct rlimit before = {};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    const auto restore = qScopeGuard([&] {
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, oldHandler);
    });
    const struct rlimit full = {1000, before.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &full), 0);
    int tried = 0;
    for (const QString &format : {u"png"_s, u"gif"_s, u"mp4"_s, u"svg"_s}) {
        if ((format == u"gif"_s && !ui::canWriteGif()) || (format == u"mp4"_s && !ui::canWriteMp4()))
            continue;
        m_panel->exportTo(folder.filePath(u"full."_s + format), format);
        ++tried;
        QTRY_VERIFY_WITH_TIMEOUT(failed.size() == tried, test::kPatience);
    }
    for (const QList<QVariant> &message : failed)
        QVERIFY2(message.front().toString().contains(u"full."_s), qPrintable(message.front().toString()));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{});
    QVERIFY(button().isEnabled());
}

/// The window is closed while frames are written: they are finished, and nothing refers to the panel.
void ShellMorphExport::aClosedWindowFinishesItsFrames()
{
    const QTemporaryDir folder;
    m_panel->exportTo(folder.filePath(u"a"_s), u"png"_s);
    m_panel.reset();
    QTRY_COMPARE_WITH_TIMEOUT(QDir(folder.filePath(u"a"_s)).entryList(QDir::Files).size(), 180, test::kPatience);
    QVERIFY(QThreadPool::globalInstance()->waitForDone());
    QCoreApplication::processEvents();
}

void ShellMorphExport::tooManyPassesAreNeverExported()
{
    const QTemporaryDir folder;
    QSignalSpy exported(m_panel.get(), &ui::MorphPanel::exported);
    const ui::MorphSide many = planOf("1f1b", 1000); // 8,000 passes: animated, and not exported
    m_panel->exportTo(folder.filePath(u"a.svg"_s), u"svg"_s);
    m_panel->setPlans(many, many, true);
    QVERIFY(m_panel->view()->morph());
    QTRY_COMPARE(exported.size(), 1); // the small one, which was being written
    QVERIFY(!button().isEnabled());
    QVERIFY2(button().toolTip().contains(u"6,000"_s), qPrintable(button().toolTip()));
    m_panel->setPlans(planOf("gpipe", 4), planOf("1f1b", 4), true);
    QVERIFY(button().isEnabled());
}

/// T and vocabulary shares are hatched on the screen and in the SVG: without colour, only the hatch distinguishes them from S.
void ShellMorphExport::patternsAreThoseOfTheTimeline()
{
    const ui::MorphSide plain = planOf("1f1b", 4);
    timeline::Timeline shared = *plain.timeline;
    for (timeline::Lane &lane : shared.lanes)
        lane.vocabulary.assign(lane.size(), 0);
    timeline::Lane &last = shared.lanes.back();
    for (std::size_t i = 0; i < last.size(); ++i)
        last.vocabulary[i] = (last.end[i] - last.begin[i]) / 2;
    const ui::MorphSide split = planOf("1f1b", 4, model::VocabularyMethod::Vocab2);
    m_panel->setPlans({std::make_shared<const timeline::Timeline>(shared), u"Shares"_s}, split, true);
    const ui::Colours &colours = *m_panel->view()->look().colours;
    const QColor edgeOfT = ui::edgeOf(colours.pass(schedule::PassKind::T));
    // Pixels of a colour that continue aslant and neither upward nor to the right, as those of edges do.
    const auto slanting = [this](const QColor &line) {
        const QImage image = m_panel->view()->grab().toImage();
        const auto isLine = [&](int x, int y) { return image.pixelColor(x, y).rgb() == line.rgb(); };
        int found = 0;
        for (int y = image.height() / 4; y < image.height(); ++y)
            for (int x = 0; x + 1 < image.width(); ++x)
                found += isLine(x, y) && isLine(x + 1, y - 1) && !isLine(x, y - 1) && !isLine(x + 1, y);
        return found;
    };
    QVERIFY2(slanting(colours.vocabularyHatch) > 100, qPrintable(QString::number(slanting(colours.vocabularyHatch))));
    const int before = slanting(edgeOfT);
    QTest::keyClick(m_panel->view(), Qt::Key_End);
    QCOMPARE(slanting(colours.vocabularyHatch), 0);
    QVERIFY2(slanting(edgeOfT) > before + 100, qPrintable(QString::number(slanting(edgeOfT))));
    const QString svg = ui::morphSvg(*m_panel->view()->morph(), m_panel->view()->look(), {1200, 500});
    for (const QColor &colour : {colours.vocabularyHatch, edgeOfT})
        QVERIFY2(svg.contains(u"<path d=\"M"_s) && svg.contains(u"stroke=\""_s + colour.name()), qPrintable(colour.name()));
}

STAGELENS_TEST(ShellMorphExport)

} // namespace ui_shell_morph_export

#include "shell/morph_export.moc"
