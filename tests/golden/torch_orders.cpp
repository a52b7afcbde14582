// What PyTorch's runtime makes of a schedule (compute_comms). The order of zb1p was not written by this program: it is
// PyTorch's own (test/distributed/pipelining/artifacts of pytorch/pytorch, letters of 2024), and so are the files whose names
// begin with "pytorch-" and a version (tests/torch/round_trips.py --write). The others are ours; the property tests hold the
// rule against a plain reading of PyTorch's.
#include "engine/exchange/torch_lowering.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "tests/support/golden.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>

namespace golden_torch_orders {

using namespace stagelens;
using namespace stagelens::exchange;

namespace {

QString fileOf(const QString &name)
{
    return qEnvironmentVariable("STAGELENS_TEST_DATA") + QStringLiteral("/golden/torch/") + name + QStringLiteral(".csv");
}

} // namespace

class TorchOrders : public QObject {
    Q_OBJECT

private slots:
    void lowersAsPyTorchDid();
    void dualPipeVIsPyTorchs();
    void readsAndWritesPyTorchs_data();
    void readsAndWritesPyTorchs();
    void equalsGolden_data();
    void equalsGolden();
};

void TorchOrders::lowersAsPyTorchDid()
{
    QFile file(fileOf(QStringLiteral("zb1p-2-ranks-2-stages")));
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.errorString()));
    const QByteArray published = file.readAll();
    const auto csv = readTorchCsv(published.toStdString());
    QVERIFY2(csv.ok(), csv.ok() ? "" : csv.error().text().c_str());
    QCOMPARE(csv->dialect, TorchDialect::Of2024);
    QCOMPARE(QByteArray::fromStdString(writeTorchCsv(*csv)), published);
    const auto schedule = scheduleOf(*csv);
    QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.error().text().c_str());
    auto again = lowered(*schedule, TorchLowering::Messages, TorchRelease::UpTo2_14);
    QVERIFY(again.ok());
    again->dialect = TorchDialect::Of2024;
    QCOMPARE(QByteArray::fromStdString(writeTorchCsv(*again)), published);
}

void TorchOrders::dualPipeVIsPyTorchs()
{
    // The second row of PyTorch's dualpipev_4rank_10mb.csv.
    model::Experiment experiment;
    experiment.schedule.family = "dualpipe-v";
    experiment.parallel.microbatches = 10;
    const auto csv = torchCsvOf(*schedule::makeSchedule(experiment));
    QVERIFY(csv.ok());
    const QByteArray row = QByteArray::fromStdString(writeTorchCsv(*csv)).split('\n').at(1);
    QCOMPARE(row,
             QByteArray("1F0,1F1,1F2,1F3,1F4,6F0,1F5,6F1,6I0,6W0,6F2,6I1,6W1,6F3,(1F6;6B2)OVERLAP_F_B,(6F4;1B0)OVERLAP_F_B,"
                        "(1F7;6B3)OVERLAP_F_B,(6F5;1B1)OVERLAP_F_B,(1F8;6B4)OVERLAP_F_B,(6F6;1B2)OVERLAP_F_B,"
                        "(1F9;6B5)OVERLAP_F_B,(6F7;1B3)OVERLAP_F_B,6B6,(6F8;1B4)OVERLAP_F_B,6B7,(6F9;1B5)OVERLAP_F_B,6B8,"
                        "1B6,6I9,1I7,6W9,1I8,1W7,1I9,1W8,1W9"));
}

void TorchOrders::readsAndWritesPyTorchs_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("name");
    for (const QString &name :
         {QStringLiteral("LoopedBFS"), QStringLiteral("InterleavedZeroBubble"), QStringLiteral("DualPipeV")})
        for (const QString &version : {QStringLiteral("2.14"), QStringLiteral("2.15")})
            QTest::addRow("%s-%s", qPrintable(name), qPrintable(version)) << version << name;
}

void TorchOrders::readsAndWritesPyTorchs()
{
    QFETCH(const QString, version);
    QFETCH(const QString, name);
    const auto read = [&](const QString &form) {
        QFile file(fileOf(QStringLiteral("pytorch-%1-%2-4x8-%3").arg(version, name, form)));
        return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    };
    const std::string only = read(QStringLiteral("compute_only"));
    const std::string comms = read(QStringLiteral("compute_comms"));
    const auto plain = readTorchCsv(only);
    const auto full = readTorchCsv(comms);
    QVERIFY2(plain.ok() && full.ok(), full.ok() ? "" : full.error().text().c_str());
    QCOMPARE(writeTorchCsv(*plain), only);
    QCOMPARE(writeTorchCsv(*full), comms);
    QVERIFY(!plain->hasWaits());
    QCOMPARE(full->hasWaits(), version == QStringLiteral("2.15"));
    const auto schedule = scheduleOf(*plain);
    const auto again = scheduleOf(*full);
    QVERIFY2(schedule.ok() && again.ok(), again.ok() ? "" : again.error().text().c_str());
    QVERIFY(*schedule == *again);
    QVERIFY(schedule::findViolations(*schedule).empty());
    const auto release = version == QStringLiteral("2.15") ? TorchRelease::Since2_15 : TorchRelease::UpTo2_14;
    const auto ours = lowered(*schedule, TorchLowering::Full, release);
    QVERIFY(ours.ok());
    QCOMPARE(writeTorchCsv(*ours), comms);
}

void TorchOrders::equalsGolden_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<int>("chunks");
    QTest::addColumn<bool>("full");
    QTest::addColumn<bool>("late");
    for (const auto &[family, chunks] : {std::pair("1f1b", 1), std::pair("interleaved-1f1b", 2), std::pair("interleaved-zb", 4),
                                         std::pair("zb-v", 2), std::pair("dualpipe-v", 2)}) {
        QTest::addRow("%s-messages", family) << QString::fromLatin1(family) << chunks << false << false;
        QTest::addRow("%s-full", family) << QString::fromLatin1(family) << chunks << true << false;
        QTest::addRow("%s-full-2.15", family) << QString::fromLatin1(family) << chunks << true << true;
    }
}

void TorchOrders::equalsGolden()
{
    QFETCH(const QString, family);
    QFETCH(const int, chunks);
    QFETCH(const bool, full);
    QFETCH(const bool, late);
    model::Experiment experiment;
    experiment.schedule.family = family.toStdString();
    experiment.schedule.chunks = chunks;
    experiment.parallel.microbatches = 8;
    const auto schedule = schedule::makeSchedule(experiment);
    QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.error().text().c_str());
    const auto csv = lowered(*schedule, full ? TorchLowering::Full : TorchLowering::Messages,
                             late ? TorchRelease::Since2_15 : TorchRelease::UpTo2_14);
    QVERIFY2(csv.ok(), csv.ok() ? "" : csv.error().text().c_str());
    const QByteArray text = QByteArray::fromStdString(writeTorchCsv(*csv));
    // What it says comes back as the schedule it was made of.
    const auto read = readTorchCsv(text.toStdString());
    QVERIFY(read.ok() && *read == *csv);
    const auto again = scheduleOf(*read);
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().text().c_str());
    for (int device = 0; device < schedule->devices(); ++device)
        QVERIFY(std::ranges::equal(again->device(device), schedule->device(device)));
    test::compareWithGolden(text, QStringLiteral("torch/") + QTest::currentDataTag() + QStringLiteral(".csv"));
}

STAGELENS_TEST(TorchOrders)

} // namespace golden_torch_orders

#include "torch_orders.moc"
