// What wrong and hostile input gets from the command line: every problem, its place, exit status 2, and no crash.
#include "tests/support/cli_runner.h"

#include <QTest>

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

class CliInput : public QObject {
    Q_OBJECT

private slots:
    void refusesImpossiblePlans_data();
    void refusesImpossiblePlans();
    void reportsEveryProblem();
    void refusesWhatCannotBeHere_data();
    void refusesWhatCannotBeHere();
    void refusesHostileExperiments_data();
    void refusesHostileExperiments();
    void refusesHostileDurations();
    void refusesDatabasesThatAreNone();
    void saysWhenStandardOutputIsFull();

private:
    [[nodiscard]] QString write(const QString &name, const QByteArray &content) const
    {
        QFile file(m_cli.path(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName() : QString();
    }
    CliRunner m_cli;
};

void CliInput::refusesImpossiblePlans_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QByteArray>("place");
    QTest::newRow("more devices than layers") << u"--devices 9"_s << QByteArray("--devices: ");
    QTest::newRow("no device") << u"--devices 0"_s << QByteArray("--devices: ");
    QTest::newRow("negative") << u"--microbatches -4"_s << QByteArray("--microbatches: ");
    QTest::newRow("heads") << u"--heads 5"_s << QByteArray("--heads: ");
    QTest::newRow("overflow") << u"--hidden 99999999999999999999"_s << QByteArray("--hidden: ");
    QTest::newRow("too large") << u"--hidden 2147483647"_s << QByteArray("--hidden: ");
    QTest::newRow("not a number") << u"--lr fast"_s << QByteArray("--lr: ");
    QTest::newRow("not finite") << u"--lr inf"_s << QByteArray("--lr: ");
    QTest::newRow("family") << u"--schedule no-such-family"_s << QByteArray("--schedule: ");
    QTest::newRow("vocabulary") << u"--vocabulary vocab-3"_s << QByteArray("--vocabulary: ");
    QTest::newRow("hardware") << u"--hardware abacus"_s << QByteArray("--hardware: ");
    QTest::newRow("model") << u"--model gpt-none"_s << QByteArray("--model: ");
    QTest::newRow("uniform") << u"--uniform F=-1"_s << QByteArray("--uniform F: ");
    QTest::newRow("uniform twice") << u"--uniform F=1,F=2"_s << QByteArray("--uniform: ");
    QTest::newRow("uniform kind") << u"--uniform X=1"_s << QByteArray("--uniform X: ");
    QTest::newRow("durations") << u"--durations nowhere.csv"_s << QByteArray("--durations: ");
    QTest::newRow("cut") << u"--stage-layers 2/2/2/3"_s << QByteArray("--stage-layers: ");
    QTest::newRow("betas") << u"--betas 0.9"_s << QByteArray("--betas: ");
    QTest::newRow("seed") << u"--seed -1"_s << QByteArray("--seed: ");
    QTest::newRow("two costs") << u"--uniform F=1 --hardware h200"_s << QByteArray("--hardware: ");
    QTest::newRow("tied and untied") << u"--tied --untied"_s << QByteArray("--tied: ");
    QTest::newRow("no file") << u"nowhere.stagelens.json"_s << QByteArray("nowhere.stagelens.json: ");
}

void CliInput::refusesImpossiblePlans()
{
    QFETCH(const QString, words);
    QFETCH(const QByteArray, place);
    const CliAnswer answer = m_cli.run(u"simulate --json "_s + words);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.out.isEmpty(), answer.out);
    const QList<QByteArray> problems = answer.problems();
    QVERIFY2(std::any_of(problems.begin(), problems.end(), [&](const QByteArray &line) { return line.startsWith(place); }),
             answer.err);
}

void CliInput::reportsEveryProblem()
{
    const CliAnswer answer = m_cli.run(u"simulate --devices 0 --heads 5 --lr x --waves 3 --schedule nothing"_s);
    QCOMPARE(answer.status, 2);
    QCOMPARE(answer.problems().size(), 5);
}

void CliInput::refusesWhatCannotBeHere_data()
{
    QTest::addColumn<QString>("words");
    for (const char *words : {"simulate --schedule-file x", "run --resume 3", "run --backend cuda --steps 1",
                              "verify --kernels", "bench --backend cuda"})
        QTest::newRow(words) << QString::fromLatin1(words);
}

void CliInput::refusesWhatCannotBeHere()
{
    QFETCH(const QString, words);
    qputenv("STAGELENS_CUDA_PLUGIN", "/nowhere/libstagelens-cuda.so"); // there may be a GPU
    const CliAnswer answer = m_cli.run(words);
    QCOMPARE(answer.status, 2);
    QCOMPARE(answer.problems().size(), 1);
    QVERIFY2(answer.err.startsWith("--"), answer.err);
}

void CliInput::refusesHostileExperiments_data()
{
    QTest::addColumn<QByteArray>("content");
    const QByteArray begin = R"({"stagelens": "experiment/1", )";
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("truncated") << begin + R"("parallel": {"devi)";
    QTest::newRow("binary") << QByteArray("\x00\xff\xfe\x80{\"", 6);
    QTest::newRow("array") << QByteArray("[]");
    QTest::newRow("newer") << QByteArray(R"({"stagelens": "experiment/99"})");
    QTest::newRow("wrong type") << begin + R"("parallel": {"devices": "four"}})";
    QTest::newRow("fraction") << begin + R"("parallel": {"devices": 2.5}})";
    QTest::newRow("huge") << begin + R"("parallel": {"devices": 1e300}})";
    QTest::newRow("unknown member") << begin + R"("paralel": {}})";
    QTest::newRow("deep") << QByteArray(200'000, '[');
    QTest::newRow("overflow") << begin + R"("model": {"layers": 65536, "hidden": 16777216, "heads": 1}})";
    QTest::newRow("not UTF-8") << begin + "\"training\": {\"data\": \"\xc3\x28\"}}";
}

void CliInput::refusesHostileExperiments()
{
    QFETCH(const QByteArray, content);
    const QString file = write(u"hostile.stagelens.json"_s, content);
    for (const QString &command : {u"simulate"_s, u"experiment"_s, u"run"_s}) {
        const CliAnswer answer = m_cli.run({command, file});
        QCOMPARE(answer.status, 2);
        QVERIFY(answer.out.isEmpty());
        QVERIFY(!answer.err.isEmpty());
    }
}

void CliInput::refusesHostileDurations()
{
    for (const QByteArray &content :
         {QByteArray(), QByteArray("device,stage\n"), QByteArray("device,stage,pass,duration_us\n0,0,F,-1\n"),
          QByteArray("device,stage,pass,duration_us\n0,0,F,1e400\n"), QByteArray("device,stage,pass,duration_us\n0,0,Q,1\n")}) {
        QVERIFY(!write(u"durations.csv"_s, content).isEmpty());
        const CliAnswer answer = m_cli.run(u"simulate --devices 2 --durations durations.csv"_s);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("durations.csv") || answer.err.startsWith("--durations"), answer.err);
    }
}

void CliInput::refusesDatabasesThatAreNone()
{
    QVERIFY(!write(u"text.db"_s, "this is no database, and it is long enough to have a header of one hundred bytes or more, "
                                 "so that SQLite looks at it")
                 .isEmpty());
    const CliAnswer listed = m_cli.run(u"runs list --db text.db"_s);
    QVERIFY(listed.status == 1 || listed.status == 2);
    QVERIFY(listed.err.contains("text.db"));
    const CliAnswer trained = m_cli.run(u"run --steps 1 --db text.db"_s);
    QVERIFY(trained.status == 1 || trained.status == 2);
    QFile untouched(m_cli.path(u"text.db"_s));
    QVERIFY(untouched.open(QIODevice::ReadOnly));
    QVERIFY(untouched.readAll().startsWith("this is no database"));
    QCOMPARE(m_cli.run(u"runs list --db missing.db"_s).status, 2);
    QVERIFY(!QFile::exists(m_cli.path(u"missing.db"_s)));
    QCOMPARE(m_cli.run(u"runs show 99"_s).status, 2);
    QCOMPARE(m_cli.run(u"runs rename 99 name"_s).status, 2);
    QCOMPARE(m_cli.run(u"runs delete 99"_s).status, 2);
}

void CliInput::saysWhenStandardOutputIsFull()
{
    if (!QFile::exists(u"/dev/full"_s))
        QSKIP("this system has no /dev/full");
    QProcess process;
    m_cli.prepare(process, {u"simulate"_s, u"--json"_s});
    process.setStandardOutputFile(u"/dev/full"_s);
    process.start();
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardError().contains("standard output"));
}

QTEST_GUILESS_MAIN(CliInput)
#include "cli_input.moc"
