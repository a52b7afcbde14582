// What wrong and hostile input gets from the command line: every problem, its place, exit status 2, and no crash.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QStringDecoder>
#include <QTest>

namespace integration_cli_input {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

class CliInput : public QObject {
    Q_OBJECT

private slots:
    void sizesAreReadAsTheyAreWritten();
    void refusesImpossiblePlans_data();
    void refusesImpossiblePlans();
    void reportsEveryProblem();
    void saysWhatWasMeant_data();
    void saysWhatWasMeant();
    void saysOneThingOfOneMistake_data();
    void saysOneThingOfOneMistake();
    void refusesEmptyValues_data();
    void refusesEmptyValues();
    void saysWhichDocumentIsWrong();
    void namesTheConfigInAFolder();
    void refusesWhatCannotBeHere_data();
    void refusesWhatCannotBeHere();
    void refusesHostileExperiments_data();
    void refusesHostileExperiments();
    void refusesHostileDurations();
    void printsNoForeignBytes_data();
    void printsNoForeignBytes();
    void refusesDeepModels();
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
    QTest::newRow("uniform per") << u"--uniform F=1 --uniform-per chunk"_s << QByteArray("--uniform-per: ");
    QTest::newRow("per of nothing") << u"--uniform-per device"_s << QByteArray("--uniform-per: ");
    QTest::newRow("two costs") << u"--uniform F=1 --hardware h200"_s << QByteArray("--hardware: ");
    QTest::newRow("tied and untied") << u"--tied --untied"_s << QByteArray("--tied: ");
    QTest::newRow("no file") << u"nowhere.stagelens.json"_s << QByteArray("nowhere.stagelens.json: ");
}

void CliInput::sizesAreReadAsTheyAreWritten()
{
    const auto valueOf = [this](const QString &words, const QString &group, const QString &field) {
        const CliAnswer answer = m_cli.run(u"experiment --json "_s + words);
        return QJsonDocument::fromJson(answer.out)[group][field].toInteger(-1);
    };
    QCOMPARE(valueOf(u"--vocabulary-size 32k"_s, u"model"_s, u"vocabulary_size"_s), 32'000);
    QCOMPARE(valueOf(u"--vocabulary-size 32Ki"_s, u"model"_s, u"vocabulary_size"_s), 32'768);
    QCOMPARE(valueOf(u"--vocabulary-size 262,144"_s, u"model"_s, u"vocabulary_size"_s), 262'144);
    QCOMPARE(valueOf(u"--sequence 1Ki"_s, u"model"_s, u"sequence"_s), 1024);
    QCOMPARE(valueOf(u"--seed 2M"_s, u"training"_s, u"seed"_s), 2'000'000);
    QCOMPARE(valueOf(u"--memory-limit 80Gi"_s, u"schedule"_s, u"memory_limit"_s), 80LL << 30);
    const CliAnswer wrong = m_cli.run(u"experiment --vocabulary-size 32x"_s);
    QCOMPARE(wrong.status, 2);
    QVERIFY2(wrong.err.contains("write it as 32000, 32k or 32Ki"), wrong.err.constData());
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

void CliInput::saysWhatWasMeant_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QByteArray>("meant");
    const auto row = [](const char *words, const char *meant) {
        QTest::newRow(words) << QString::fromLatin1(words) << QByteArray(meant);
    };
    row("simulat --devices 4", "simulat: is no command of `stagelens-cli`; did you mean simulate?");
    row("list model", "model: is no command of `stagelens-cli list`; did you mean models?");
    row("runs ls", "ls: is no command of `stagelens-cli runs`; choose list, show, ");
    row("runs", "stagelens-cli runs: a command is missing; choose list, show, ");
    row("simulate --schedul 1f1b", "--schedul: is unknown; did you mean --schedule?");
    row("simulate --devics=4", "--devics: is unknown; did you mean --devices?");
    row("simulate --colour red", "--colour: is unknown; see `stagelens-cli simulate --help`");
    row("runs --db x list", "--db: stands too early; write it behind `stagelens-cli runs list`");
    row("list models all", "all: is one word too many; see `stagelens-cli list models --help`");
    row("simulate --schedule 1F1B", "did you mean 1f1b?");
    row("simulate --schedule 1f1bb", "did you mean 1f1b?");
    row("simulate --vocabulary vocab1", "did you mean vocab-1?");
    row("simulate --dtype FP32", "did you mean fp32?");
    row("simulate --recompute ful", "did you mean full?");
    row("simulate --recompute 9", "--recompute: is 9, and stages have at most 2 layers; choose 2");
    row("simulate --recompute 3/1", "--recompute: has 2 entries for 4 stages; give one for each stage, or one number for all");
    row("simulate --recompute 1/2/3/0", "--recompute: is 3 for stage 2, which has 2 layers; choose 2");
    row("simulate --recompute 1/x", "choose none, selective, full, layers such as 2 or 3/1/0/0");
    row("simulate --recompute-modules gelu", "choose none, norms, activation, attention, several with commas");
    row("simulate --recompute auto --memory-limit 1000", "with all its layers recomputed; raise it, or give more devices");
    row("simulate --recompute auto --schedule auto", "--recompute: is auto, and so is the schedule; choose a family");
    row("simulate --hardware a100", "did you mean a100-80gb?");
    row("simulate --hardware H200", "did you mean h200?");
    row("simulate --model GPT-4B", "did you mean gpt-4b?");
    row("validate --sends block", "--sends: is `block`; choose buffered, blocking; did you mean blocking?");
    row("export --format chrome", "did you mean chrome-trace?");
    row("export --comms=ful --format torch-csv", "did you mean full?");
    row("export --comms full --format torch-csv", "write --comms=full");
    row("run --checkpoint-every 0", "--checkpoint-every: is `0`; choose a whole number from 1 to ");
    row("export 1 --step x", "--step: is `x`; choose a whole number from 0 to ");
    row("simulate --memory-limit 80GB", "write it as 85899345920 or 80GiB");
}

void CliInput::saysWhatWasMeant()
{
    QFETCH(const QString, words);
    QFETCH(const QByteArray, meant);
    const CliAnswer answer = m_cli.run(words);
    QCOMPARE(answer.status, 2);
    QCOMPARE(answer.problems().size(), 1);
    QVERIFY2(answer.err.contains(meant), answer.err);
}

void CliInput::saysOneThingOfOneMistake_data()
{
    QTest::addColumn<QString>("words");
    for (const char *words :
         {"--stage-layers 2,2,2,2", "--stage-layers 2/x/2/2", "--memory-limit much", "--clip x", "--clip 0", "--chunks x"})
        QTest::newRow(words) << QString::fromLatin1(words);
}

void CliInput::saysOneThingOfOneMistake()
{
    QFETCH(const QString, words);
    const CliAnswer answer = m_cli.run(u"simulate "_s + words);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.problems().size() == 1, answer.err);
    QVERIFY2(!answer.err.contains("null"), answer.err); // JSON's word for what is `off` here
}

void CliInput::refusesEmptyValues_data()
{
    QTest::addColumn<QStringList>("words");
    const QStringList run{u"run"_s, u"--steps"_s, u"1"_s};
    for (const QString &option : {u"--resume"_s, u"--init"_s, u"--dump"_s, u"--kernels"_s, u"--db"_s, u"--data"_s,
                                  u"--schedule"_s, u"--schedule-file"_s, u"--model"_s}) {
        QTest::newRow(qPrintable(option)) << run + QStringList{option, QString()};
        QTest::newRow(qPrintable(option + u'=')) << run + QStringList{option + u'='};
    }
    QTest::newRow("experiment") << QStringList{u"simulate"_s, QString()};
    QTest::newRow("experiment -o") << QStringList{u"experiment"_s, u"-o"_s, QString()};
    QTest::newRow("export -o") << QStringList{u"export"_s, u"-o"_s, QString()};
    QTest::newRow("runs list --db") << QStringList{u"runs"_s, u"list"_s, u"--db"_s, QString()};
}

void CliInput::refusesEmptyValues()
{
    QFETCH(const QStringList, words);
    const CliAnswer answer = m_cli.run(words);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.out.isEmpty(), answer.out);
    QCOMPARE(answer.problems().size(), 1);
}

void CliInput::saysWhichDocumentIsWrong()
{
    QCOMPARE(m_cli.run(u"experiment -o good.json"_s).status, 0);
    QVERIFY(!write(u"bad.json"_s, R"({"stagelens": "experiment/1", "parallel": {"devices": 99}})").isEmpty());
    const CliAnswer answer = m_cli.run(u"compare good.json bad.json"_s);
    QCOMPARE(answer.status, 2);
    for (const QByteArray &problem : answer.problems())
        QVERIFY2(problem.startsWith("bad.json: parallel."), problem);
    QVERIFY(m_cli.run(u"compare good.json missing.json"_s).err.startsWith("missing.json: cannot be read"));
}

void CliInput::namesTheConfigInAFolder()
{
    QVERIFY(QDir(m_cli.path(u"."_s)).mkpath(u"checkpoint"_s) && QDir(m_cli.path(u"."_s)).mkpath(u"gpt-demo"_s));
    QVERIFY(m_cli.run(u"simulate --model checkpoint"_s).err.contains("name checkpoint/config.json"));
    QVERIFY(m_cli.run(u"simulate --model ./checkpoint"_s).err.contains("name ./checkpoint/config.json"));
    QCOMPARE(m_cli.run(u"simulate --model gpt-demo"_s).status, 0); // a preset, whatever lies here
}

void CliInput::refusesWhatCannotBeHere_data()
{
    QTest::addColumn<QString>("words");
    for (const char *words :
         {"simulate --schedule-file x", "run --resume 3", "run --backend cuda --steps 1", "verify --kernels",
          "bench --backend cuda", "bench --calibrate --backend cuda", "simulate --hardware gpu-local", "bench --steps-only"})
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

void CliInput::printsNoForeignBytes_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QByteArray>("content");
    const QByteArray evil("\x1b]0;title\x07 \x9b"
                          "2J\xc2\x9b"
                          "2J \xe2\x80\xae\xff\xfe");
    const QByteArray json("\\u001b]0;title\\u0007 \xc2\x9b"
                          "2J \xe2\x80\xae\\u202e");
    const QByteArray begin = R"({"stagelens": "experiment/1", )";
    QTest::newRow("durations, binary") << u"simulate --durations evil"_s << QByteArray("\x00\xff\xfe", 3);
    QTest::newRow("durations, header") << u"simulate --durations evil"_s << evil;
    QTest::newRow("durations, cell") << u"simulate --durations evil"_s << "device,stage,pass,duration_us\n0,0," + evil + ",1\n";
    QTest::newRow("schedule, text") << u"validate evil"_s << "schedule " + evil + " devices 1 microbatches 1\n0: " + evil;
    QTest::newRow("schedule, CSV") << u"validate evil"_s << "0F0," + evil + "\n";
    QTest::newRow("experiment, member") << u"simulate evil"_s << begin + "\"" + json + "\": 1}";
    QTest::newRow("experiment, preset") << u"simulate evil"_s << begin + R"("model": {"preset": ")" + json + "\"}}";
    QTest::newRow("experiment, family") << u"simulate evil"_s << begin + R"("schedule": {"family": ")" + json + "\"}}";
    QTest::newRow("experiment, file") << u"simulate evil"_s << begin + R"("cost": {"durations": ")" + json + "\"}}";
    QTest::newRow("experiment, data") << u"run --steps 1 evil"_s << begin + R"("training": {"data": ")" + json + "\"}}";
    QTest::newRow("experiment, printed") << u"experiment evil"_s << begin + R"("training": {"data": ")" + json + "\"}}";
    QTest::newRow("experiment, as JSON") << u"experiment --json evil"_s << begin + R"("training": {"data": ")" + json + "\"}}";
    QTest::newRow("config, type") << u"simulate --model ./evil"_s << QByteArray(R"({"model_type": ")" + json + "\"}");
    QTest::newRow("config, word") << u"simulate --model ./evil"_s
                                  << QByteArray(R"({"model_type": "llama", "hidden_act": ")" + json + "\"}");
}

/// A terminal obeys escape sequences, and a reader believes text whose order a file changed.
void CliInput::printsNoForeignBytes()
{
    QFETCH(const QString, words);
    QFETCH(const QByteArray, content);
    QVERIFY(!write(u"evil"_s, content).isEmpty());
    const CliAnswer answer = m_cli.run(words);
    QVERIFY(answer.status == 2 || words.startsWith(u"experiment"));
    const QByteArray printed = answer.out + answer.err;
    QVERIFY(!printed.isEmpty());
    QStringDecoder utf8(QStringDecoder::Utf8);
    const QString text = utf8(printed);
    QVERIFY2(!utf8.hasError(), printed.toPercentEncoding(" '`:;,/"));
    for (const QChar letter : text)
        QVERIFY2(letter == u'\n' || (letter.isPrint() && letter.category() != QChar::Other_Format),
                 printed.toPercentEncoding(" '`:;,/"));
}

/// 200 kB that overflowed the stack where the value was shown.
void CliInput::refusesDeepModels()
{
    const QByteArray nested = QByteArray(100'000, '[') + QByteArray(100'000, ']');
    for (const QByteArray &member : {QByteArray("vocab_size"), QByteArray("rope_scaling"), QByteArray("unknown")}) {
        QVERIFY(!write(u"config.json"_s, R"({"model_type": "llama", ")" + member + "\": " + nested + "}").isEmpty());
        const CliAnswer answer = m_cli.run(u"simulate --model ./config.json"_s);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("deeper than 32"), answer.err.left(1000));
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

STAGELENS_TEST(CliInput)

} // namespace integration_cli_input

#include "cli_input.moc"
