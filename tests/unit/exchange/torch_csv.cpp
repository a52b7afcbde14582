// PyTorch's schedule CSV: what is read, what is refused at which cell, and what becomes of it.
#include "engine/exchange/torch_csv.h"
#include "engine/exchange/schedule_file.h"
#include "engine/exchange/torch_lowering.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>
#include <fmt/format.h>

namespace unit_exchange_torch_csv {

using namespace stagelens;
using namespace stagelens::exchange;
using schedule::makePass;
using schedule::PassKind;

class ExchangeTorchCsv : public QObject {
    Q_OBJECT

private slots:
    /// Text and CSV of 10,000 microbatches, some tenths of a MiB: both are looked through in blocks.
    void aStopEndsReadingOfEitherForm()
    {
        std::string text = "schedule mine devices 1 microbatches 10000 vocabulary none\n0:";
        std::string csv;
        for (const char *kind : {"F", "B"})
            for (int microbatch = 0; microbatch < 10'000; ++microbatch) {
                text += fmt::format(" {}{}", kind, microbatch);
                csv += fmt::format("{}0{}{}", csv.empty() ? "" : ",", kind, microbatch);
            }
        std::stop_source stop;
        for (const std::string &each : {text, csv})
            QVERIFY(readSchedule(each, stop.get_token()).ok());
        stop.request_stop();
        for (const std::string &each : {text, csv}) {
            const auto read = readSchedule(each, stop.get_token());
            QVERIFY(!read);
            QCOMPARE(read.error().kind, base::ErrorKind::Cancelled);
        }
    }

    void writesWhatItReads_data();
    void writesWhatItReads();
    void acceptsLineEndsBlanksAndByteOrderMarks();
    void readsBothDialects_data();
    void readsBothDialects();
    void refusesCells_data();
    void refusesCells();
    void refusesManyCellsAtOnce();
    void becomesASchedule();
    void findsCells();
    void comesFromASchedule();
    void refusesWhatPyTorchCannotSay();
    void tellsTextFromCsv();
    void violationsNameTheirPlace_data();
    void violationsNameTheirPlace();
};

void ExchangeTorchCsv::writesWhatItReads_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("compute only") << QByteArray("0F0,0F1,2F0,,2F1,2I0,2W0\n,1F0,,,1F1,3F0,3B0\n");
    QTest::newRow("idle cells at both ends") << QByteArray(",,0F0,,,\n1F0,\n");
    QTest::newRow("one idle cell") << QByteArray(",0F0\n");
    QTest::newRow("messages") << QByteArray("0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
                                            "1RECV_F0,1F0,1B0,1SEND_B0\n");
    QTest::newRow("overlap") << QByteArray("0F0,(0F7;7B3)OVERLAP_F_B,(7F4)OVERLAP_F_B,0B0,(1F1;2B2;3W3)OVERLAP_F_B\n");
    QTest::newRow("2024") << QByteArray("0F0,0BW0\n1F0,1B0,1W0\n");
    QTest::newRow("2024 without BW") << QByteArray("0F0,0B0,0W0\n");
}

void ExchangeTorchCsv::writesWhatItReads()
{
    QFETCH(const QByteArray, text);
    const auto csv = readTorchCsv(text.toStdString());
    QVERIFY2(csv.ok(), csv.ok() ? "" : csv.error().text().c_str());
    QCOMPARE(QByteArray::fromStdString(writeTorchCsv(*csv)), text);
}

void ExchangeTorchCsv::acceptsLineEndsBlanksAndByteOrderMarks()
{
    const auto plain = readTorchCsv("0F0,(0F1;0B0)OVERLAP_F_B,,0B1\n1F0\n");
    QVERIFY(plain.ok());
    for (const char *text : {"\xEF\xBB\xBF"
                             "0F0,(0F1;0B0)OVERLAP_F_B,,0B1\r\n1F0",
                             " 0F0 ,\t( 0F1 ; 0B0 ) OVERLAP_F_B, ,0B1\n1F0\r\n\r\n\n",
                             "\"0F0\",\"(0F1;0B0)OVERLAP_F_B\",\"\", \" 0B1 \"\r\n\"1F0\"\r\n"}) {
        const auto read = readTorchCsv(text);
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QVERIFY(*read == *plain);
    }
}

void ExchangeTorchCsv::readsBothDialects_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("passes");
    QTest::newRow("full backward alone") << "0F0,0B0"
                                         << "F0 B0";
    QTest::newRow("current") << "0F0,0I0,0F1,0W0,0B1"
                             << "F0 I0 F1 W0 B1";
    QTest::newRow("2024 by BW") << "0F0,0BW0"
                                << "F0 B0";
    QTest::newRow("2024 by W without I") << "0F0,0B0,0W0"
                                         << "F0 I0 W0";
    QTest::newRow("2024, both") << "0F0,0B0,0F1,0BW1,0W0"
                                << "F0 I0 F1 B1 W0";
}

void ExchangeTorchCsv::readsBothDialects()
{
    QFETCH(const QString, text);
    QFETCH(const QString, passes);
    const auto csv = readTorchCsv(text.toStdString());
    QVERIFY(csv.ok());
    const auto made = scheduleOf(*csv);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().text().c_str());
    QCOMPARE(QString::fromStdString(schedule::toText(*made)).section(u'\n', 1, 1), QStringLiteral("0: ") + passes);
}

void ExchangeTorchCsv::refusesCells_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, const QByteArray &text, const QByteArray &message) {
        QTest::newRow(name) << text << message;
    };
    row("empty", "", "row 1, column 1: the file is empty");
    row("blank", " \r\n\n", "row 1, column 1: the file is empty");
    row("rest behind the microbatch", "0F0,0F1\n1F0,0F0xyz", "row 2, column 2: '0F0xyz' ends with 'xyz'");
    row("no microbatch", ",0F", "row 1, column 2: '0F' has no microbatch; write");
    row("no stage", "F0", "row 1, column 1: 'F0' is no action");
    row("unknown action", "0X0", "row 1, column 1: '0X0' has no action of PyTorch's");
    row("lower case", "0f0", "row 1, column 1: '0f0' has no action");
    row("microbatch where none belongs", "0UNSHARD1", "row 1, column 1: '0UNSHARD1' ends with '1'");
    row("negative stage", "-1F0", "row 1, column 1: '-1F0' is no action");
    row("negative microbatch", "0F-1", "row 1, column 1: '0F-1' has a microbatch with a sign");
    row("a million stages", "0F0,999999F0", "row 1, column 2: '999999F0' has a stage beyond 65534");
    row("huge stage", "99999999999999999999F0", "row 1, column 1: '99999999999999999999F0' has a stage beyond");
    row("huge microbatch", "0F99999999999", "row 1, column 1: '0F99999999999' has a microbatch beyond");
    row("open parenthesis", "0F0\n(1F0;1B0OVERLAP_F_B",
        "row 2, column 1: '(1F0;1B0OVERLAP_F_B' has parentheses that do not match");
    row("two open parentheses", "((0F0)OVERLAP_F_B", "row 1, column 1: '((0F0)OVERLAP_F_B' has parentheses");
    row("closed alone", "0F0)", "row 1, column 1: '0F0)' ends with ')'");
    row("container without its word", "(0F0;0B1)", "row 1, column 1: '(0F0;0B1)' has no OVERLAP_F_B");
    row("rest behind a container", "(0F0;0B1)OVERLAP_F_Bx", "row 1, column 1: '(0F0;0B1)OVERLAP_F_Bx' has no OVERLAP_F_B");
    row("empty container", "()OVERLAP_F_B", "row 1, column 1: '()OVERLAP_F_B' is no action");
    row("message in a container", "(0F0;0SEND_F0)OVERLAP_F_B",
        "row 1, column 1: '(0F0;0SEND_F0)OVERLAP_F_B' overlaps something");
    row("NUL", QByteArray("0F0,0\0F1", 8), "row 1, column 2: '0\\x00F1' has no action");
    row("open quote", "0F0,\"0B0,0F1", "row 1, column 2: '\"0B0,0F1' has no closing quote");
    row("quote inside quotes", "\"0F\"\"0\"", "row 1, column 1: '\"0\"' follows a closing quote");
    row("comma inside quotes", "\"0F0,0B0\"", "row 1, column 1: '0F0,0B0' ends with ',0B0'");
    row("wait without microbatch", "0F0,0WAIT_SEND_F", "row 1, column 2: '0WAIT_SEND_F' has no microbatch");
    row("wait of nothing", "0F0,0WAIT_SEND_F0\n1F0", "row 1, column 2: 0WAIT_SEND_F0 waits for a send that is not before it");
    row("waits twice", "0F0,0SEND_F0,0WAIT_SEND_F0,0WAIT_SEND_F0\n1RECV_F0,1F0", "row 1, column 4: 0WAIT_SEND_F0 stands twice");
    row("one send without wait", "0F0,0SEND_F0,0F1,0SEND_F1,0WAIT_SEND_F0\n1RECV_F0,1F0,1RECV_F1,1F1",
        "row 1, column 4: 0SEND_F1 has no 0WAIT_SEND_F1 behind it");
    row("wait for no reduction", "0F0,0B0,0WAIT_REDUCE_GRAD", "row 1, column 3: 0WAIT_REDUCE_GRAD waits for no 0REDUCE_GRAD");
    row("two reductions at once", "0F0,1F0,1B0,1REDUCE_GRAD,0B0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD",
        "row 1, column 6: 0REDUCE_GRAD begins before 1WAIT_REDUCE_GRAD");
    row("reduction without wait", "0F0,1F0,1B0,1REDUCE_GRAD,1WAIT_REDUCE_GRAD,0B0,0REDUCE_GRAD",
        "row 1: has no 0WAIT_REDUCE_GRAD");
    row("mixed dialects", "0F0,0I0,0W0,0F1,0BW1",
        "row 1, column 2: is an I, which PyTorch writes since 2025, but row 1, column 5");
    row("idle cell among messages", "0F0,0SEND_F0\n1RECV_F0,,1F0", "row 2, column 2: is empty");
    row("stage on two ranks", "0F0,1F0\n1B0", "row 2, column 1: 1B0 puts stage 1 on rank 1, but it is on rank 0 (row 1)");
    row("missing stage", "0F0\n2F0", "stage 1 of 3 is in no row");
    row("blank row", "0F0\n\n1F0", "row 2: rank 1 computes nothing");
    row("microbatch with a gap", "0F0,0B0,0F7", "row 1, column 3: microbatch 7 is beyond the file's 3 passes");
    row("three overlap", "(0F0;0B0;0F1)OVERLAP_F_B", "row 1, column 1: 3 actions overlap");
    row("receive without send", "0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0",
        "row 2, column 1: 1RECV_F0 has no 0SEND_F0 on the other side");
    row("no receive", "0F0,0SEND_F0,0B0\n1B0", "row 1, column 3: 0B0 has no 0RECV_B0 before it");
    row("send without receive", "0F0,0SEND_F0,0SEND_F1\n1RECV_F0,1F0", "row 1, column 3: 0SEND_F1 sends what is not");
    row("sends before it computes", "0SEND_F0,0F0\n1RECV_F0,1F0", "row 1, column 1: 0SEND_F0 sends what is not computed yet");
    row("receives twice", "0F0,0SEND_F0\n1RECV_F0,1RECV_F0,1F0", "row 2, column 2: 1RECV_F0 stands twice");
    row("message on one rank", "0F0,0SEND_F0,1RECV_F0,1F0", "row 1, column 2: 0SEND_F0 has no other rank on its other side");
    row("message beyond the last stage", "0F0,0SEND_F0", "row 1, column 2: 0SEND_F0 has no other rank on its other side");
}

void ExchangeTorchCsv::refusesCells()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, message);
    const auto csv = readTorchCsv(text.toStdString());
    const auto read = csv ? scheduleOf(*csv) : base::Result<schedule::Schedule>(csv.error());
    QVERIFY(!read.ok());
    QCOMPARE(read.error().kind, base::ErrorKind::InvalidInput);
    const base::Problem &problem = read.error().problems.front();
    QCOMPARE(problem.field, std::string("schedule.file"));
    QVERIFY2(QByteArray::fromStdString(problem.message).startsWith(message), problem.message.c_str());
    QVERIFY2(problem.message.find("; ") != std::string::npos || problem.message.find("limit") != std::string::npos,
             problem.message.c_str());
}

void ExchangeTorchCsv::refusesManyCellsAtOnce()
{
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += "x,0F0,";
    const auto csv = readTorchCsv(text);
    QVERIFY(!csv.ok());
    QCOMPARE(csv.error().problems.size(), std::size_t{20});
    QVERIFY(csv.error().problems[1].message.starts_with("row 1, column 3: "));
}

void ExchangeTorchCsv::becomesASchedule()
{
    const auto csv = readTorchCsv("0F0,,(3F0;3B0)OVERLAP_F_B,0B0\n,1F0,2F0,2I0,2W0,1B0\n");
    QVERIFY(csv.ok());
    const auto made = scheduleOf(*csv);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().text().c_str());
    QCOMPARE(made->family(), std::string("custom"));
    QCOMPARE(schedule::toText(*made), std::string("schedule custom devices 2 microbatches 1 vocabulary none placement 0,1,1,0\n"
                                                  "0: F0 F0@3+ B0@3 B0\n"
                                                  "1: F0 F0@2 I0@2 W0@2 B0\n"));
    QVERIFY(scheduleOf(*readTorchCsv("0F0,0B0")).ok());
}

void ExchangeTorchCsv::findsCells()
{
    const auto csv = readTorchCsv("0F0,,,(0F1;0B0)OVERLAP_F_B,0SEND_F0,0B1\n");
    QVERIFY(!csv.ok()); // idle cells and messages do not go together
    const auto read = readTorchCsv("0F0,,,(0F1;0B0)OVERLAP_F_B,,0B1\n");
    QVERIFY(read.ok());
    const std::array<std::size_t, 5> columns{1, 4, 4, 6, 7};
    for (std::size_t i = 0; i < columns.size(); ++i)
        QCOMPARE(cellOf(*read, 0, i).column, columns[i]);
}

void ExchangeTorchCsv::comesFromASchedule()
{
    std::vector<std::vector<schedule::Pass>> passes{
        {makePass(PassKind::F, 0, 0), makePass(PassKind::F, 0, 1), makePass(PassKind::B, 0, 0), makePass(PassKind::B, 0, 1)},
        {makePass(PassKind::F, 1, 0), makePass(PassKind::I, 1, 0), makePass(PassKind::W, 1, 0), makePass(PassKind::F, 1, 1),
         makePass(PassKind::B, 1, 1)}};
    passes[0][1].pairedWithNext = true;
    const schedule::Schedule schedule("1f1b", schedule::Placement::linear(2), 2, model::VocabularyMethod::None, passes);
    const auto csv = torchCsvOf(schedule);
    QVERIFY(csv.ok());
    QCOMPARE(writeTorchCsv(*csv), std::string("0F0,(0F1;0B0)OVERLAP_F_B,0B1\n1F0,1I0,1W0,1F1,1B1\n"));
}

void ExchangeTorchCsv::refusesWhatPyTorchCannotSay()
{
    const schedule::Schedule sharded("1f1b", schedule::Placement::linear(1), 1, model::VocabularyMethod::Vocab1,
                                     {{makePass(PassKind::F, 0, 0), makePass(PassKind::S, 0, 0)}});
    const auto csv = torchCsvOf(sharded);
    QVERIFY(!csv.ok());
    QCOMPARE(csv.error().kind, base::ErrorKind::InvalidInput);
    QCOMPARE(csv.error().problems.at(0).field, std::string("schedule.vocabulary"));
    QVERIFY(csv.error().text().find("S0") != std::string::npos);
    model::Experiment experiment;
    experiment.schedule.family = "chimera";
    const auto twice = torchCsvOf(*schedule::makeSchedule(experiment));
    QVERIFY(!twice.ok());
    QCOMPARE(twice.error().problems.at(0).field, std::string("schedule.family"));
    // Two ranks that each wait for the other's message.
    const schedule::Schedule circle("custom", schedule::Placement::linear(2), 1, model::VocabularyMethod::None,
                                    {{makePass(PassKind::B, 0, 0), makePass(PassKind::F, 0, 0)},
                                     {makePass(PassKind::F, 1, 0), makePass(PassKind::B, 1, 0)}});
    const auto stuck = lowered(circle);
    QVERIFY(!stuck.ok());
    QVERIFY(stuck.error().text().find("rank 0 waits") != std::string::npos);
}

void ExchangeTorchCsv::tellsTextFromCsv()
{
    const auto text = readSchedule("\xEF\xBB\xBF# mine\nschedule x devices 1 microbatches 1 vocabulary none\n\n0: F0 B0\n");
    QVERIFY(text.ok());
    QVERIFY(!text->csv);
    QCOMPARE(text->placeText(0, 1), std::string("line 4, word 3"));
    const auto csv = readSchedule("\xEF\xBB\xBF,0F0,0B0\r\n");
    QVERIFY(csv.ok());
    QVERIFY(csv->csv.has_value());
    QCOMPARE(csv->placeText(0, 1), std::string("row 1, column 3"));
    QVERIFY(schedule::toText(csv->schedule) != schedule::toText(text->schedule)); // the family's name
    QVERIFY(!readSchedule("").ok());
    QVERIFY(!readSchedule("hello").ok());
}

void ExchangeTorchCsv::violationsNameTheirPlace_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("blocking");
    QTest::addColumn<QByteArray>("found");
    const auto row = [](const char *name, const QByteArray &text, const QByteArray &found, bool blocking = false) {
        QTest::newRow(name) << text << blocking << found;
    };
    row("missing", "0F0,,0B0\n1F0,\n", "missing at row 2, column 3: B0@1 is missing | add it to device 1");
    row("missing weight gradient", "0F0,0I0\n", "missing at row 1, column 3: W0@0 is missing | add it to device 0");
    row("twice", ",0F0,,0F0,0B0\n",
        "duplicate at row 1, column 4: F0@0 runs twice, first at row 1, column 2 | remove one of the two");
    row("order", "0F0,0B0\n,1B0,1F0\n",
        "out-of-order at row 2, column 2: B0@1 needs F0@1, which comes only at row 2, column 3 | move F0@1 in front of row 2, "
        "column 2");
    row("a pair that waits for itself", "0F0,(1F0;1B0)OVERLAP_F_B,0B0\n",
        "out-of-order at row 1, column 2: B0@1 needs F0@1, which comes only at row 1, column 2 | move F0@1 in front of row 1, "
        "column 2");
    row("gradients again", "0F0,0F1,0B0,0W0,0I1,0W1\n",
        "not-in-plan at row 1, column 4: W0@0 makes the weight gradients again that B0@0 has made | remove it, or write I in "
        "place of that B");
    row("gradients in another order", "0F0,0F1,0B1,0B0\n", "");
    row("circle", "0F0,,0B0,0F1,0B1\n1F0,1F1,,1B0,1B1\n",
        "deadlock at row 1, column 3: device 0 waits at row 1, column 3 (B0@0) for B0@1, which device 1 has at row 2, column 4 "
        "behind F1@1; device 1 waits at row 2, column 2 (F1@1) for F1@0, which device 0 has at row 1, column 4 behind B0@0 | "
        "on device 1 move B0@1 in front of F1@1");
    row("sends that fit", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", "");
    row("sends that block", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n",
        "deadlock at row 1, column 2: device 0 sends at row 1, column 2 (F1@0) to F1@1, which device 1 has at row 2, column 3 "
        "behind B0@1; device 1 sends at row 2, column 2 (B0@1) to B0@0, which device 0 has at row 1, column 3 behind F1@0 | "
        "let the devices send and receive at once, or buffer the sends",
        true);
    row("too much memory", "0F0,,0F1,0F2,0F3,0B0,0B1,0B2,0B3\n",
        "too-much-memory at row 1, column 5: F3@0 puts 4 activations in flight, but there is room for 3 | run a backward "
        "before it, or raise memory_limit");
    row("another device's", "schedule x devices 2 microbatches 1 vocabulary none\n\n0: F0 F0@1 B0\n1: B0\n",
        "wrong-device at line 3, word 3: F0@1 is on device 0 but stage 1 belongs to device 1 | move it to device 1");
    row("stale weights",
        "schedule x devices 2 microbatches 3 vocabulary none updates each-microbatch\n0: F0 F1 F2 B0 B1 B2\n1: F0 B0 F1 B1 F2 "
        "B2\n",
        "stale-weights at line 2, word 4: F2@0 uses weights that 2 updates will have passed before its backward, where one for "
        "each later stage is allowed: 1 | run the backward of microbatch 0 before it");
}

void ExchangeTorchCsv::violationsNameTheirPlace()
{
    QFETCH(const QByteArray, text);
    QFETCH(const bool, blocking);
    QFETCH(const QByteArray, found);
    const auto file = readSchedule(text.toStdString());
    QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
    schedule::ValidationOptions options{.sends = blocking ? schedule::Sends::Blocking : schedule::Sends::Buffered};
    options.activationLimit.assign(static_cast<std::size_t>(file->schedule.devices()), 3);
    options.place = [&](int device, std::size_t position) { return file->placeText(device, position); };
    const auto violations = schedule::findViolations(file->schedule, options);
    if (violations.empty()) {
        QCOMPARE(QByteArray(), found);
        return;
    }
    const schedule::Violation &first = violations.front();
    QCOMPARE(QByteArray::fromStdString(fmt::format("{} at {}: {} | {}", schedule::name(first.kind),
                                                   file->placeText(first.device, first.position), first.cause, first.remedy)),
             found);
}

STAGELENS_TEST(ExchangeTorchCsv)

} // namespace unit_exchange_torch_csv

#include "exchange/torch_csv.moc"
