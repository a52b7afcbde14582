// The text form: what it looks like and what it refuses.
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_schedule_text {

using namespace stagelens;
using namespace stagelens::schedule;

class ScheduleText : public QObject {
    Q_OBJECT

private slots:
    void writes();
    void reads();
    void refuses_data();
    void refuses();
};

void ScheduleText::writes()
{
    model::Experiment experiment;
    experiment.parallel.devices = 2;
    experiment.parallel.microbatches = 2;
    QCOMPARE(toText(*makeSchedule(experiment)), std::string("schedule 1f1b devices 2 microbatches 2 vocabulary none\n"
                                                            "0: F0 F1 B0 B1\n"
                                                            "1: F0 B0 F1 B1\n"));
}

void ScheduleText::reads()
{
    const base::Result<Schedule> read = scheduleFromText("# by hand\r\n\n  schedule mine microbatches 1 devices 2 vocabulary "
                                                         "vocab-2 placement 0,1,1,0\r\n0:  F0 F0@3+\tB0@3\n\n# rest\n1:");
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->family(), std::string("mine"));
    QCOMPARE(read->vocabulary(), model::VocabularyMethod::Vocab2);
    QCOMPARE(read->stages(), 4);
    QCOMPARE(read->device(0).size(), std::size_t{3});
    QVERIFY(read->device(0)[1] == (Pass{0, 3, PassKind::F, true}));
    QVERIFY(read->device(1).empty());
    QCOMPARE(toText(*read), std::string("schedule mine devices 2 microbatches 1 vocabulary vocab-2 placement 0,1,1,0\n"
                                        "0: F0 F0@3+ B0@3\n1:\n"));
    QVERIFY(*scheduleFromText(toText(*read)) == *read);
}

void ScheduleText::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const QString header = "schedule x devices 2 microbatches 3 vocabulary none";
    QTest::newRow("empty") << ""
                           << "line 1: the text is empty";
    QTest::newRow("not a schedule") << "\x01PNG"
                                    << "line 1, word 1: the header must begin with 'schedule', not '\\x01PNG'";
    QTest::newRow("no family") << "schedule"
                               << "line 1, word 2: ";
    QTest::newRow("incomplete header") << "schedule x devices 2"
                                       << "line 1: the header must give devices, microbatches and vocabulary";
    QTest::newRow("unknown field") << "schedule x ranks 2"
                                   << "line 1, word 3: 'ranks' is unknown";
    QTest::newRow("devices") << "schedule x devices 0"
                             << "line 1, word 3: 'devices' must be followed by a number from 1 to 65535, not '0'";
    QTest::newRow("devices with a tail") << "schedule x devices 2k"
                                         << "line 1, word 3: ";
    QTest::newRow("microbatches") << "schedule x microbatches 99999999999"
                                  << "line 1, word 3: 'microbatches' must be";
    QTest::newRow("no value") << "schedule x microbatches"
                              << "line 1, word 3: 'microbatches' must be followed";
    QTest::newRow("vocabulary") << "schedule x vocabulary vocab-3"
                                << "line 1, word 3: 'vocabulary' must be followed by none";
    QTest::newRow("placement") << "schedule x placement 0,,1"
                               << "line 1, word 3: 'placement' must be followed";
    QTest::newRow("placement outside") << header + " placement 0,1,2"
                                       << "line 1: the placement puts stage 2 on device 2 of 2";
    QTest::newRow("placement with a bare device") << header + " placement 0,0"
                                                  << "line 1: the placement gives device 1 no stage";
    QTest::newRow("too large") << "schedule x devices 60000 microbatches 1000000 vocabulary none"
                               << "line 1: 60000 stages with 1000000";
    QTest::newRow("label") << header + "\nF0"
                           << "line 2, word 1: a device's line must begin";
    QTest::newRow("wrong device") << header + "\n1: F0"
                                  << "line 2, word 1: device 1 stands where device 0 is expected";
    QTest::newRow("too many devices") << header + "\n0:\n1:\n2:"
                                      << "line 4, word 1: device 2 stands where the text should end";
    QTest::newRow("too few devices") << header + "\n0: F0"
                                     << "line 2: the text ends after 1 of 2 devices";
    QTest::newRow("word") << header + "\n0: F0 X1"
                          << "line 2, word 3: 'X1' is no pass";
    QTest::newRow("optimizer") << header + "\n0: O0"
                               << "line 2, word 2: 'O0' is no pass";
    QTest::newRow("microbatch") << header + "\n0: F3"
                                << "line 2, word 2: 'F3' has no microbatch from 0 to 2";
    QTest::newRow("negative") << header + "\n0: F-1"
                              << "line 2, word 2: 'F-1' ";
    QTest::newRow("stage") << header + "\n0: F0@2"
                           << "line 2, word 2: 'F0@2' has no stage from 0 to 1";
    QTest::newRow("tail") << header + "\n0: F0++"
                          << "line 2, word 2: 'F0++' ends with '++'";
    QTest::newRow("long word") << header + "\n0: " + QString(1000, 'F')
                               << "line 2, word 2: '" + QString(40, 'F') + "...' is no pass";
}

void ScheduleText::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    const base::Result<Schedule> read = scheduleFromText(text.toStdString());
    QVERIFY(!read.ok());
    QCOMPARE(read.error().kind, base::ErrorKind::InvalidInput);
    const QString actual = QString::fromStdString(read.error().problems.front().message);
    QVERIFY2(actual.startsWith(message), qPrintable(actual));
}

STAGELENS_TEST(ScheduleText)

} // namespace unit_schedule_text

#include "schedule/text.moc"
