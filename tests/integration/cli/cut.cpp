// `cut`: published examples of planners, cuts of real models, refusals.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>

namespace integration_cli_cut {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

QJsonObject cutOf(const QJsonObject &found, const QString &name)
{
    for (const QJsonValue cut : found[u"cuts"].toArray())
        if (cut[u"cut"].toString() == name)
            return cut.toObject();
    return {};
}

} // namespace

class CliCut : public QObject {
    Q_OBJECT

private slots:
    /// Embedding 0.5, eight layers of 3, output layer 7, in milliseconds on four devices.
    void theGreatestPartIsLeast()
    {
        QByteArray csv = "unit,milliseconds\nembedding,0.5\n";
        for (int layer = 0; layer < 8; ++layer)
            csv += "layer " + QByteArray::number(layer) + ",3\n";
        const QString options = u"cut --devices 4 --units "_s + written("units.csv", csv + "output,7\n");
        const QJsonObject found = m_cli.run(options + u" --json"_s).object();
        QCOMPARE(found[u"stagelens"].toString(), u"cut/1"_s);
        QCOMPARE(found[u"mean_ns"].toInteger(), 7'875'000);
        QCOMPARE(cutOf(found, u"even"_s)[u"bottleneck_ns"].toInteger(), 13'000'000);
        const QJsonObject least = cutOf(found, u"least"_s);
        QCOMPARE(least[u"bottleneck_ns"].toInteger(), 9'000'000);
        QCOMPARE(least[u"stage_layers"].toArray(), (QJsonArray{2, 3, 3, 0}));
        QVERIFY(cutOf(found, u"halves"_s).isEmpty());
        const CliAnswer words = m_cli.run(options);
        for (const char *part : {"embedding 500.0 us, 8 layers of 3.000 ms, output 7.000 ms", "4 devices, mean 7.875 ms",
                                 "13.000 ms", "9.000 ms", "embedding + 2 | 3 | 3 | output", "Without --bandwidth"})
            QVERIFY2(words.out.contains(part), words.out.constData());

        const QJsonObject slow = m_cli.run(options + u" --json --slow 2=2"_s).object();
        QCOMPARE(slow[u"slow"].toArray(), (QJsonArray{1, 1, 2, 1}));
        QCOMPARE(slow[u"mean_ns"].toInteger(), 9'000'000); // 31.5 / 3.5
        QCOMPARE(cutOf(slow, u"before"_s)[u"bottleneck_ns"].toInteger(), 18'000'000);
        QCOMPARE(cutOf(slow, u"least"_s)[u"bottleneck_ns"].toInteger(), 10'000'000);
        QCOMPARE(cutOf(slow, u"least"_s)[u"stage_layers"].toArray(), (QJsonArray{3, 3, 1, 1}));
        QVERIFY(m_cli.run(options + u" --slow 2=2"_s).out.contains("min-max, before a device slowed"));
    }

    /// Layers of 4, 4, 4, 4 and 2 ms, the last with ten times the weights, on four machines.
    void pipeDreamReplicatesEarlyLayers()
    {
        const QString file = written("pipedream.csv", "unit,milliseconds,activation_bytes,weight_bytes\n"
                                                      "layer 0,4,1,4\nlayer 1,4,1,4\nlayer 2,4,1,4\nlayer 3,4,1,4\n"
                                                      "layer 4,2,1,40\n");
        const QString options = u"cut --devices 4 --bandwidth 8k --units "_s + file;
        const QJsonObject found = m_cli.run(options + u" --json"_s).object()[u"replicated"][0].toObject();
        QCOMPARE(found[u"exchange_every"].toInt(), 1);
        QCOMPARE(found[u"ns"].toInteger(), 5'333'333);
        QCOMPARE(found[u"data_parallel_ns"].toInteger(), 10'500'000);
        QCOMPARE(found[u"without_weights_ns"].toInteger(), 4'500'000);
        QCOMPARE(found[u"stages"].toArray(), (QJsonArray{QJsonObject{{u"units"_s, 4}, {u"machines"_s, 3}},
                                                         QJsonObject{{u"units"_s, 1}, {u"machines"_s, 1}}}));
        const CliAnswer words = m_cli.run(options);
        for (const char *part : {"5.333 ms", "10.500 ms", "4.500 ms", "(4) x 3 | (1) x 1"})
            QVERIFY2(words.out.contains(part), words.out.constData());
    }

    /// The output layer of a large vocabulary; halves of layers come closer to the mean.
    void aModelWithALargeVocabulary()
    {
        const QString options = u"cut --model gpt-4b --hardware a100-80gb --devices 8 --vocabulary-size 262144"_s;
        const QJsonObject found = m_cli.run(options + u" --json"_s).object();
        const auto bottleneck = [&](const QString &name) { return cutOf(found, name)[u"bottleneck_ns"].toDouble(); };
        QCOMPARE(bottleneck(u"plan"_s), bottleneck(u"even"_s));
        QVERIFY(bottleneck(u"least"_s) < bottleneck(u"even"_s));
        QVERIFY(bottleneck(u"halves"_s) <= bottleneck(u"least"_s));
        QVERIFY(found[u"mean_ns"].toDouble() <= bottleneck(u"halves"_s));
        QCOMPARE(found[u"half_units"].toArray().size(), 2 * found[u"units"].toArray().size() - 2);
        QCOMPARE(found[u"replicated"].toArray().size(), 2);
        const CliAnswer words = m_cli.run(options);
        const qsizetype place = words.out.indexOf("--stage-layers ");
        QVERIFY2(place > 0, words.out.constData());
        const QString cut = QString::fromUtf8(words.out.mid(place, words.out.indexOf('\n', place) - place));
        // With several stages a device there is no such list.
        const CliAnswer inChunks = m_cli.run(options + u" --schedule interleaved-1f1b --chunks 2"_s);
        QVERIFY(inChunks.status == 0 && !inChunks.out.contains("--stage-layers"));
        // As a plan it has the same bottleneck, and a shorter iteration.
        const QJsonObject again = m_cli.run(options + u" --json "_s + cut).object();
        QCOMPARE(cutOf(again, u"plan"_s)[u"bottleneck_ns"].toDouble(), bottleneck(u"least"_s));
        const QString simulate = u"simulate"_s + options.mid(3) + u" --json "_s;
        const QJsonObject metrics = m_cli.run(simulate).object()[u"metrics"].toObject();
        QVERIFY(m_cli.run(simulate + cut).object()[u"metrics"][u"iteration_ns"].toDouble() <
                metrics[u"iteration_ns"].toDouble());
        // Devices of a prediction are as busy, but for the fixed time of each pass.
        for (int device = 0; device < 8; ++device) {
            const double busy =
                (1 - metrics[u"bubble_ratio_per_device"][device].toDouble()) * metrics[u"makespan_ns"].toDouble();
            const double ofMicrobatch = cutOf(found, u"plan"_s)[u"device_ns"][device].toDouble();
            QVERIFY2(std::abs(busy / 16 / ofMicrobatch - 1) < 0.01, qPrintable(QString::number(busy / 16 / ofMicrobatch)));
        }
    }

    /// TeraPipe's cut is not longer than others at multiples of its unit; each time is the sum of all slices and, for every
    /// further stage, the longest.
    void sequencesAreCutToo()
    {
        const QString options = u"cut --model gpt-4b --hardware a100-80gb --devices 8 --sequence 32768"_s;
        const QJsonObject found = m_cli.run(options + u" --schedule seq1f1b --sequence-slices 8 --json"_s).object();
        const QJsonObject sequence = found[u"sequence"].toObject();
        QCOMPARE(sequence[u"stages"].toInt(), 8);
        QCOMPARE(sequence[u"unit_tokens"].toInt(), 512);
        std::map<QString, QJsonObject> cuts;
        for (const QJsonValue each : sequence[u"cuts"].toArray()) {
            const QJsonObject cut = each.toObject();
            cuts[cut[u"cut"].toString()] = cut;
            qint64 sum = 0;
            qint64 longest = 0;
            qint64 tokens = 0;
            for (const QJsonValue slice : cut[u"slice_ns"].toArray()) {
                sum += slice.toInteger();
                longest = std::max(longest, slice.toInteger());
            }
            for (const QJsonValue slice : cut[u"tokens"].toArray())
                tokens += slice.toInteger();
            QCOMPARE(tokens, 32768);
            QVERIFY(qAbs(cut[u"ns"].toInteger() - sum - 7 * longest) <= 64); // each is rounded to a nanosecond
        }
        QCOMPARE(cuts.size(), std::size_t{5});
        const auto slicesOf = [&](const QString &name) { return cuts.at(name)[u"tokens"].toArray().size(); };
        const auto timeOf = [&](const QString &name) { return cuts.at(name)[u"ns"].toInteger(); };
        QCOMPARE(slicesOf(u"whole"_s), 1);
        QCOMPARE(slicesOf(u"length"_s), 8);
        QCOMPARE(slicesOf(u"work"_s), 8);
        QVERIFY(slicesOf(u"at-most"_s) <= 8);
        QVERIFY(timeOf(u"least"_s) <= timeOf(u"at-most"_s) && timeOf(u"at-most"_s) <= timeOf(u"length"_s));
        QVERIFY(timeOf(u"work"_s) < timeOf(u"length"_s) && timeOf(u"length"_s) < timeOf(u"whole"_s));
        // Whole, each stage takes its share of the layers.
        double layers = 0;
        for (const QJsonValue unit : found[u"units"].toArray())
            if (unit[u"name"].toString().startsWith(u"layer"))
                layers += unit[u"ns"].toDouble();
        QVERIFY(qAbs(static_cast<double>(timeOf(u"whole"_s)) / layers - 1) < 1e-6);
        const CliAnswer words = m_cli.run(options + u" --schedule seq1f1b --sequence-slices 8"_s);
        for (const char *part : {"8 of equal work", "TeraPipe, at most 8", "8 x 4096"})
            QVERIFY2(words.out.contains(part), words.out.constData());
        // A prime number of tokens has units too, the last of which is shorter.
        const QJsonObject prime =
            m_cli.run(u"cut --model gpt-4b --hardware a100-80gb --devices 8 --sequence 1009 --json"_s).object();
        const QJsonArray sizes = prime[u"sequence"][u"cuts"].toArray().last()[u"tokens"].toArray();
        QCOMPARE(prime[u"sequence"][u"unit_tokens"].toInt(), 16);
        QVERIFY(sizes.size() > 1 && sizes.last().toInt() % 16 == 1);
        // Attention that keeps its probabilities is not cut.
        QVERIFY(m_cli.run(options + u" --attention materialised --json"_s).object()[u"sequence"].isNull());
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("error");
        const QString units = u"--units "_s + written("two.csv", "unit,milliseconds\nlayer 0,1\nlayer 1,1\n");
        QTest::newRow("no file") << u"--units /nowhere.csv"_s << QByteArray("--units");
        QTest::newRow("a bad header") << u"--units "_s + written("header.csv", "a,b\n") << QByteArray("the header is");
        QTest::newRow("a bad time") << u"--units "_s + written("time.csv", "unit,milliseconds\nlayer,-1\n")
                                    << QByteArray("line 2: the milliseconds are");
        QTest::newRow("too few columns") << u"--units "_s + written("columns.csv", "unit,milliseconds\nlayer\n")
                                         << QByteArray("there are 1 columns");
        QTest::newRow("no time") << u"--units "_s + written("zero.csv", "unit,milliseconds\nlayer 0,0\nlayer 1,0\n")
                                 << QByteArray("every time is 0");
        QTest::newRow("too long a time") << u"--units "_s + written("long.csv", "unit,milliseconds\nlayer 0,1e15\n")
                                         << QByteArray("give a number from 0 to 1e+06");
        QTest::newRow("a unit between layers")
            << u"--units "_s + written("between.csv", "unit,milliseconds\nlayer 0,1\nnorm,1\nlayer 1,1\n")
            << QByteArray("'norm' stands between layers");
        QByteArray many = "unit,milliseconds\n";
        for (int i = 0; i < 50'000; ++i)
            many += "a,1\n";
        QTest::newRow("too many units") << u"--devices 2 --units "_s + written("many.csv", many)
                                        << QByteArray("take too long to find");
        QTest::newRow("too many devices") << u"--devices 3 "_s + units << QByteArray("more than the 2 units");
        QTest::newRow("a bad rate") << u"--bandwidth fast"_s << QByteArray("--bandwidth");
        QTest::newRow("teaching units") << u"--uniform F=1,B=2"_s << QByteArray("has no times of single layers");
        QTest::newRow("a slow rank") << u"--slow rank=1:2"_s << QByteArray("a cut is the same in every replica");
        QTest::newRow("no such device") << u"--devices 2 --slow 2=2 "_s + units << QByteArray("the plan has devices 0 to 1");
        QTest::newRow("lists of recomputed layers") << u"--recompute 1/1/1/1"_s << QByteArray("choose none, selective or full");
    }
    void refusals()
    {
        QFETCH(QString, options);
        QFETCH(QByteArray, error);
        const CliAnswer answer = m_cli.run(u"cut "_s + options);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(error), answer.err.constData());
        QVERIFY(answer.out.isEmpty());
    }

private:
    /// Writes a file, and returns its name.
    QString written(const char *name, const QByteArray &text)
    {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", name);
        return file.fileName();
    }

    QTemporaryDir m_folder;
    CliRunner m_cli;
};

STAGELENS_TEST(CliCut)

} // namespace integration_cli_cut

#include "cli/cut.moc"
