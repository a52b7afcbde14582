// The command line's contract (resources/docs/command-line.md): figures, JSON, exit statuses.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace integration_cli_contract {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

class CliContract : public QObject {
    Q_OBJECT

private slots:
    void predictsTheTextbookMakespan_data();
    void predictsTheTextbookMakespan();
    void holdsAsManyMicrobatchesAsTheMethodNeeds_data();
    void holdsAsManyMicrobatchesAsTheMethodNeeds();
    void printsEverySliceInOrder();
    void prefersOptionsToTheFile();
    void readsHuggingFaceConfigs();
    void listsWhatThereIs_data();
    void listsWhatThereIs();
    void validatesSchedules();
    void exportsForOtherPrograms();
    void comparesExperiments();
    void readsAndWritesStandardStreams();
    void aTerminalIsGivenNoControls();
    void takesMemoryInUnits();
    void leavesNothingOfAPictureThatIsStopped();

private:
    [[nodiscard]] bool write(const QString &name, const QByteArray &content) const
    {
        QFile file(m_cli.path(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    }
    CliRunner m_cli;
};

void CliContract::predictsTheTextbookMakespan_data()
{
    QTest::addColumn<QString>("family");
    QTest::newRow("1f1b") << u"1f1b"_s;
    QTest::newRow("gpipe") << u"gpipe"_s;
}

void CliContract::predictsTheTextbookMakespan()
{
    QFETCH(const QString, family);
    const CliAnswer answer =
        m_cli.run(u"simulate --schedule %1 --devices 32 --microbatches 512 --uniform F=1,B=2 --json"_s.arg(family));
    QCOMPARE(answer.status, 0);
    QVERIFY(answer.err.isEmpty());
    const QJsonObject document = answer.object();
    QCOMPARE(document[u"stagelens"].toString(), u"timeline/1"_s);
    QCOMPARE(document[u"kind"].toString(), u"predicted"_s);
    const QJsonObject metrics = document[u"metrics"].toObject();
    // (m + p - 1) (F + B) = 543 x 3 ms.
    QCOMPARE(metrics[u"makespan_ns"].toInteger(), 1'629'000'000);
    QCOMPARE(metrics[u"bubble_ratio"].toDouble(), 31.0 / 543.0);
    QVERIFY(metrics[u"mfu"].isNull());
    QVERIFY(metrics[u"model_flops"].isNull());
    QCOMPARE(document[u"experiment"].toObject()[u"parallel"].toObject()[u"stage_layers"].toArray().size(), 32);
}

void CliContract::holdsAsManyMicrobatchesAsTheMethodNeeds_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("vocabulary");
    QTest::addColumn<int>("extra");
    for (const char *family : {"1f1b", "gpipe"}) {
        for (const auto &[vocabulary, extra] : {std::pair("none", 0), {"vocab-2", 1}, {"vocab-1", 2}})
            QTest::addRow("%s %s", family, vocabulary)
                << QString::fromLatin1(family) << QString::fromLatin1(vocabulary) << extra;
    }
}

void CliContract::holdsAsManyMicrobatchesAsTheMethodNeeds()
{
    QFETCH(const QString, family);
    QFETCH(const QString, vocabulary);
    QFETCH(const int, extra);
    constexpr int kDevices = 8;
    constexpr int kMicrobatches = 24;
    const CliAnswer answer = m_cli.run(u"simulate --schedule %1 --vocabulary %2 --devices %3 --microbatches %4 "
                                       "--uniform F=1,B=2,S=.25,T=.25 --json"_s.arg(family, vocabulary)
                                           .arg(kDevices)
                                           .arg(kMicrobatches));
    QCOMPARE(answer.status, 0);
    const QJsonArray peaks = answer.object()[u"metrics"].toObject()[u"peak_activation_microbatches"].toArray();
    QCOMPARE(peaks.size(), kDevices);
    for (int device = 0; device < kDevices; ++device) {
        const int expected = family == u"gpipe"_s ? kMicrobatches : std::min(kMicrobatches, kDevices - device + extra);
        QCOMPARE(peaks[device].toDouble(), expected);
    }
}

void CliContract::printsEverySliceInOrder()
{
    const CliAnswer answer =
        m_cli.run(u"simulate --devices 3 --microbatches 5 --layers 3 --vocabulary vocab-1 --json --timeline"_s);
    QCOMPARE(answer.status, 0);
    const QJsonArray devices = answer.object()[u"devices"].toArray();
    QCOMPARE(devices.size(), 3);
    for (const QJsonValue &device : devices) {
        const QJsonArray slices = device[u"slices"].toArray();
        // F, B, S, T, EF and EB of each microbatch.
        QCOMPARE(slices.size(), 6 * 5);
        qint64 end = 0;
        for (const QJsonValue &slice : slices) {
            QCOMPARE_GE(slice[u"begin_ns"].toInteger(), end);
            end = slice[u"end_ns"].toInteger();
            QVERIFY(QStringList({u"F"_s, u"B"_s, u"S"_s, u"T"_s, u"EF"_s, u"EB"_s}).contains(slice[u"pass"].toString()));
        }
    }
    const CliAnswer withLegs =
        m_cli.run(u"simulate --devices 3 --microbatches 5 --layers 3 --vocabulary vocab-1 --json --timeline=legs"_s);
    QCOMPARE(withLegs.status, 0);
    for (const QJsonValue &device : withLegs.object()[u"devices"].toArray()) {
        for (const QJsonValue &slice : device[u"slices"].toArray()) {
            const QJsonArray legs = slice[u"legs"].toArray();
            QVERIFY(!legs.isEmpty());
            QCOMPARE(legs.first()[u"begin_ns"], slice[u"begin_ns"]);
            QCOMPARE(legs.last()[u"end_ns"], slice[u"end_ns"]);
            QCOMPARE(legs.first()[u"lane"].toString(), u"compute"_s);
        }
    }
    QCOMPARE(m_cli.run(u"simulate --cost uniform --json --timeline=legs"_s).status, 2);
    QCOMPARE(m_cli.run(u"simulate --timeline=legs"_s).status, 2);
    const CliAnswer brief = m_cli.run(u"simulate --devices 3 --microbatches 5 --layers 3 --json"_s);
    QVERIFY(brief.object()[u"devices"].toArray()[0][u"slices"].toArray().isEmpty());
}

void CliContract::prefersOptionsToTheFile()
{
    QCOMPARE(m_cli.run(u"experiment --devices 2 --microbatches 6 --hidden 64 -o plan.stagelens.json"_s).status, 0);
    for (const QString &name : {u"--dtype"_s, u"--precision"_s})
        QCOMPARE(m_cli.run(u"experiment %1 fp8 --json"_s.arg(name)).object()[u"model"].toObject()[u"dtype"].toString(),
                 u"fp8"_s);
    const CliAnswer answer = m_cli.run(u"experiment plan.stagelens.json --microbatches 9 --stage-layers 3/5 --json"_s);
    QCOMPARE(answer.status, 0);
    const QJsonObject document = answer.object();
    const QJsonObject parallel = document[u"parallel"].toObject();
    QCOMPARE(parallel[u"devices"].toInt(), 2);
    QCOMPARE(parallel[u"microbatches"].toInt(), 9);
    QCOMPARE(parallel[u"stage_layers"].toArray(), QJsonArray({3, 5}));
    const QJsonObject model = document[u"model"].toObject();
    QCOMPARE(model[u"hidden"].toInt(), 64);
    QCOMPARE(model[u"ffn"].toInt(), 256); // follows hidden, as 4h
    QCOMPARE(model[u"preset"].toString(), u"custom"_s);
}

void CliContract::readsHuggingFaceConfigs()
{
    QVERIFY(write(u"gpt2.json"_s, R"({"model_type": "gpt2", "n_layer": 6, "n_embd": 96, "n_head": 3, "n_inner": null,
        "n_positions": 64, "vocab_size": 500, "activation_function": "gelu_new"})"));
    const QJsonObject gpt = m_cli.run(u"experiment --model ./gpt2.json --json"_s).object()[u"model"].toObject();
    QCOMPARE(gpt[u"layers"].toInt(), 6);
    QCOMPARE(gpt[u"ffn"].toInt(), 384);
    QCOMPARE(gpt[u"tied"].toBool(), true);
    QVERIFY(write(u"llama.json"_s, R"({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 64,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 192, "max_position_embeddings": 32,
        "vocab_size": 300, "torch_dtype": "bfloat16"})"));
    const QJsonObject llama = m_cli.run(u"experiment --model llama.json --json"_s).object()[u"model"].toObject();
    QCOMPARE(llama[u"family"].toString(), u"llama"_s);
    QCOMPARE(llama[u"kv_heads"].toInt(), 2);
    QCOMPARE(llama[u"dtype"].toString(), u"bf16"_s);
    QVERIFY(write(u"other.json"_s, R"({"model_type": "mamba"})"));
    const CliAnswer refused = m_cli.run(u"experiment --model other.json"_s);
    QCOMPARE(refused.status, 2);
    QVERIFY(refused.err.contains("mamba"));
}

void CliContract::listsWhatThereIs_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("expected");
    QTest::newRow("schedules") << u"schedules"_s << u"1f1b"_s;
    QTest::newRow("vocabularies") << u"vocabularies"_s << u"vocab-2"_s;
    QTest::newRow("models") << u"models"_s << u"gpt-demo"_s;
    QTest::newRow("hardware") << u"hardware"_s << u"a100-80gb"_s;
    QTest::newRow("backends") << u"backends"_s << u"cpu"_s;
}

void CliContract::listsWhatThereIs()
{
    QFETCH(const QString, what);
    QFETCH(const QString, expected);
    const QJsonArray rows = m_cli.run({u"list"_s, what, u"--json"_s}).json().array();
    QVERIFY(std::any_of(rows.begin(), rows.end(), [&](const QJsonValue &row) { return row[u"name"] == expected; }));
    for (const QJsonValue &row : rows)
        QVERIFY(!row[u"description"].toString().isEmpty());
    if (what == u"schedules"_s) {
        QVERIFY(rows[0][u"synchronous"].isBool());
        QVERIFY(rows[0][u"directions"].isDouble());
        QCOMPARE(rows[0][u"replicas"], rows[0][u"directions"]);
        QVERIFY(rows[0].toObject().contains(u"conditions"));
    }
    const CliAnswer lines = m_cli.run({u"list"_s, what});
    QCOMPARE(lines.status, 0);
    QCOMPARE(lines.out.count('\n'), rows.size());
    QVERIFY(lines.out.contains(expected.toUtf8() + ' '));
}

void CliContract::validatesSchedules()
{
    QCOMPARE(m_cli.run(u"validate --vocabulary vocab-naive --devices 4 --microbatches 7"_s).status, 0);
    QVERIFY(write(u"wrong.txt"_s, "schedule custom devices 2 microbatches 1 vocabulary none\n0: B0 F0\n1: F0 B0\n"));
    const CliAnswer wrong = m_cli.run(u"validate --schedule-file wrong.txt"_s);
    QCOMPARE(wrong.status, 1);
    QVERIFY(wrong.out.startsWith("device 0, position "));
    QVERIFY(write(u"noise.txt"_s, "hello\n"));
    QCOMPARE(m_cli.run(u"validate --schedule-file noise.txt"_s).status, 2);
}

void CliContract::exportsForOtherPrograms()
{
    const CliAnswer torch = m_cli.run(u"export --devices 2 --microbatches 2 --format torch-csv"_s);
    QCOMPARE(torch.status, 0);
    QCOMPARE(torch.out.split('\n').first(), QByteArray("0F0,0F1,0B0,0B1"));
    const CliAnswer trace = m_cli.run(u"export --devices 2 --microbatches 2 --format chrome-trace -o trace.json"_s);
    QCOMPARE(trace.status, 0);
    QVERIFY(trace.out.isEmpty());
    QFile file(m_cli.path(u"trace.json"_s));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray events = QJsonDocument::fromJson(file.readAll()).object()[u"traceEvents"].toArray();
    QMap<QString, int> phases;
    QMap<int, double> left; // when each arrow leaves
    for (const QJsonValue &event : events) {
        const QString phase = event[u"ph"].toString();
        ++phases[phase];
        if (phase == u"s")
            left[event[u"id"].toInt()] = event[u"ts"].toDouble();
    }
    // Two forward and two backward messages; live bytes of both devices.
    QCOMPARE(phases[u"s"_s], 4);
    QCOMPARE(phases[u"f"_s], 4);
    QVERIFY(phases[u"C"_s] >= 2 * 2);
    for (const QJsonValue &event : events)
        if (event[u"ph"] == u"f"_s)
            QVERIFY(event[u"ts"].toDouble() > left.value(event[u"id"].toInt(), 1e18));
    const CliAnswer csv = m_cli.run(u"export --devices 2 --microbatches 2 --format csv"_s);
    QCOMPARE(csv.out.split('\n').first(), QByteArray("device,pass,stage,microbatch,begin_ns,end_ns,vocabulary_ns"));
    QCOMPARE(csv.out.count('\n'), 1 + 2 * 2 * 2);
    QCOMPARE(m_cli.run(u"export --vocabulary vocab-1 --format torch-csv"_s).status, 2);
    QCOMPARE(m_cli.run(u"export --format stagelens -o again.stagelens.json"_s).status, 0);
    QCOMPARE(m_cli.run(u"simulate again.stagelens.json"_s).status, 0);
}

void CliContract::comparesExperiments()
{
    QCOMPARE(m_cli.run(u"experiment -o a.stagelens.json"_s).status, 0);
    QCOMPARE(m_cli.run(u"experiment --vocabulary vocab-2 -o b.stagelens.json"_s).status, 0);
    const QJsonObject document = m_cli.run(u"compare a.stagelens.json b.stagelens.json --json"_s).object();
    const QJsonArray parameters = document[u"parameters"].toArray();
    QCOMPARE(parameters.size(), 1);
    QCOMPARE(parameters[0][u"field"].toString(), u"schedule.vocabulary"_s);
    const QJsonValue iteration = document[u"metrics"].toObject()[u"iteration_ns"];
    QVERIFY(iteration[u"b"].toDouble() < iteration[u"a"].toDouble());
    QVERIFY(document[u"work_difference"].isNull());
    QCOMPARE(m_cli.run(u"compare a.stagelens.json missing.json"_s).status, 2);

    // Each chunk costs a whole stage: twice the work, which no sign ranks.
    const QString plan = u"experiment --devices 4 --microbatches 8 --uniform F=1,B=2 "_s;
    QCOMPARE(m_cli.run(plan + u"--schedule interleaved-1f1b -o doubled.json"_s).status, 0);
    QCOMPARE(m_cli.run(plan + u"--schedule interleaved-1f1b --uniform-per device -o equal.json"_s).status, 0);
    QCOMPARE(m_cli.run(plan + u"--schedule gpipe -o gpipe.json"_s).status, 0);
    const auto makespan = [&](const QString &file) {
        return m_cli.run(u"simulate %1 --json"_s.arg(file)).object()[u"metrics"].toObject()[u"makespan_ns"].toDouble() / 1e6;
    };
    QCOMPARE(makespan(u"doubled.json"_s), 57.0);
    QCOMPARE(makespan(u"equal.json"_s), 28.5);
    const QByteArray different = m_cli.run(u"compare doubled.json gpipe.json"_s).out;
    QVERIFY2(different.contains("not the same work: F and B of a microbatch take 24 and 12 units"), different.constData());
    QVERIFY2(!different.contains("-42.1 %"), different.constData());
    const QByteArray same = m_cli.run(u"compare equal.json gpipe.json"_s).out;
    QVERIFY2(!same.contains("not the same work") && same.contains("+15.8 %"), same.constData());
}

void CliContract::readsAndWritesStandardStreams()
{
    const auto runOn = [&](const QByteArray &input, const QString &words) {
        QProcess process;
        m_cli.prepare(process, words.split(u' '));
        process.start();
        process.write(input);
        process.closeWriteChannel();
        process.waitForFinished(CliRunner::kPatienceMs);
        return CliRunner::answerOf(process);
    };
    const CliAnswer plan = m_cli.run(u"experiment --devices 2 --microbatches 6 -o -"_s);
    QCOMPARE(plan.object()[u"parallel"][u"microbatches"].toInt(), 6);
    QVERIFY(!QFile::exists(m_cli.path(u"-"_s)));
    const CliAnswer again = runOn(plan.out, u"experiment - --microbatches 7 --json"_s);
    QCOMPARE(again.object()[u"parallel"][u"devices"].toInt(), 2);
    QCOMPARE(again.object()[u"parallel"][u"microbatches"].toInt(), 7);
    QVERIFY(write(u"plan.json"_s, plan.out));
    const CliAnswer compared = runOn(plan.out, u"compare plan.json - --json"_s);
    QCOMPARE(compared.object()[u"b"][u"label"].toString(), u"standard input"_s);
    QVERIFY(compared.object()[u"parameters"].toArray().isEmpty());
    QVERIFY(runOn("", u"simulate -"_s).err.startsWith("standard input: is empty"));

    const QByteArray schedule = "schedule custom devices 2 microbatches 1 vocabulary none\n0: F0 B0\n1: F0 B0\n";
    QCOMPARE(runOn(schedule, u"validate --schedule-file -"_s).status, 0);
    QCOMPARE(runOn(schedule, u"simulate --schedule-file - --json"_s).object()[u"devices"].toArray().size(), 2);
    QVERIFY(runOn("hello", u"simulate --schedule-file -"_s).err.startsWith("--schedule-file: line 1"));
    QVERIFY(runOn("", u"validate --schedule-file -"_s).err.startsWith("--schedule-file: "));
    QVERIFY(runOn("", u"simulate --durations -"_s).err.startsWith("--durations: may not be standard input"));
}

/// An export to a terminal held the raw letters of names: U+009B begins a command to it, U+202E turns the order around.
void CliContract::aTerminalIsGivenNoControls()
{
    const QByteArray hostile = "\xc2\x9b"
                               "31m\xe2\x80\xae";
    QVERIFY(write(QString::fromUtf8(hostile), "some text to train with\n"));
    const QStringList words{u"export"_s, u"--format"_s, u"stagelens"_s, u"--data"_s, QString::fromUtf8(hostile)};
    const CliAnswer piped = m_cli.run(words);
    QVERIFY2(piped.status == 0 && piped.out.contains(hostile), piped.err);

    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    QVERIFY(terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
    const QByteArray name = ::ptsname(terminal);
    QProcess process;
    m_cli.prepare(process, words);
    process.setChildProcessModifier([&name] {
        const int screen = ::open(name.constData(), O_RDWR | O_NOCTTY);
        ::dup2(screen, STDOUT_FILENO);
        ::close(screen);
    });
    process.start();
    QVERIFY(process.waitForStarted());
    QByteArray shown;
    QByteArray block(4096, '\0');
    for (ssize_t count = 0; (count = ::read(terminal, block.data(), static_cast<std::size_t>(block.size()))) > 0;)
        shown += block.first(count);
    ::close(terminal);
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    QCOMPARE(process.exitCode(), 0);
    QVERIFY2(shown.contains("\\u009b31m\\u202e"), shown);
    QVERIFY(!shown.contains("\xc2\x9b") && !shown.contains("\xe2\x80\xae"));
    QCOMPARE(QJsonDocument::fromJson(shown).object(), piped.object());
}

void CliContract::takesMemoryInUnits()
{
    const auto limit = [&](const QString &text) {
        return m_cli.run({u"experiment"_s, u"--json"_s, u"--memory-limit"_s, text})
            .object()[u"schedule"][u"memory_limit"]
            .toInteger();
    };
    QCOMPARE(limit(u"80GiB"_s), 80LL << 30);
    QCOMPARE(limit(u"1.5 TiB"_s), 3LL << 39);
    QCOMPARE(limit(u"1e9"_s), 1'000'000'000);
    QCOMPARE(limit(u"9007199254740993"_s), 9'007'199'254'740'993); // which a double cannot hold
}

void CliContract::leavesNothingOfAPictureThatIsStopped()
{
    // A window that never comes to an end, beside a command line of its own.
    const QString program = m_cli.path(u"stagelens-cli"_s);
    QVERIFY(QFile::copy(qEnvironmentVariable("STAGELENS_BINARIES") + u"/stagelens-cli"_s, program));
    QVERIFY(write(u"stagelens"_s, "#!/bin/sh\necho drawing >&2\nexec sleep 600\n"));
    QFile::setPermissions(m_cli.path(u"stagelens"_s), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(QDir(m_cli.path(u"."_s)).mkpath(u"temporary"_s));
    QProcess process;
    m_cli.prepare(process, {u"export"_s, u"--format"_s, u"png"_s, u"-o"_s, u"picture.png"_s});
    process.setProgram(program);
    QProcessEnvironment environment = process.processEnvironment();
    environment.insert(u"TMPDIR"_s, m_cli.path(u"temporary"_s));
    process.setProcessEnvironment(environment);
    process.start();
    process.setReadChannel(QProcess::StandardError);
    while (!process.canReadLine())
        QVERIFY(process.waitForReadyRead(CliRunner::kPatienceMs));
    QCOMPARE(process.readLine(), QByteArray("drawing\n"));
    QCOMPARE(QDir(m_cli.path(u"temporary"_s)).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    const CliAnswer answer = CliRunner::answerOf(process);
    QCOMPARE(answer.status, 130);
    QCOMPARE(answer.err, QByteArray("cancelled\n"));
    QVERIFY(QDir(m_cli.path(u"temporary"_s)).isEmpty());
}

STAGELENS_TEST(CliContract)

} // namespace integration_cli_contract

#include "cli_contract.moc"
