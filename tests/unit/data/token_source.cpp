// Synthetic tokens, text and token files: what they give and what they refuse.
#include "engine/runtime/data/token_source.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <span>
#include <thread>

namespace unit_data_token_source {

using namespace stagelens;
using runtime::openTokens;

namespace {

model::Experiment experimentWith(const std::string &data, int vocabulary = 512, int sequence = 16)
{
    model::Experiment experiment;
    experiment.model.vocabularySize = vocabulary;
    experiment.model.sequence = sequence;
    experiment.parallel.microbatches = 4;
    experiment.parallel.microbatchSize = 2;
    experiment.training.data = data;
    return experiment;
}

struct Batch {
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> labels;
    bool operator==(const Batch &) const = default;
};

Batch batchOf(const runtime::TokenSource &source, const model::Experiment &experiment, std::int64_t step, int microbatch)
{
    const auto size = static_cast<std::size_t>(experiment.parallel.microbatchSize * experiment.model.sequence);
    Batch batch{std::vector<std::int32_t>(size, -1), std::vector<std::int32_t>(size, -1)};
    source.batch(step, microbatch, batch.inputs, batch.labels);
    return batch;
}

/// Every token in range, and the labels the inputs moved by one within each row.
bool isSound(const Batch &batch, const model::Experiment &experiment)
{
    const auto length = static_cast<std::size_t>(experiment.model.sequence);
    for (std::size_t i = 0; i < batch.inputs.size(); ++i) {
        for (const std::int32_t token : {batch.inputs[i], batch.labels[i]})
            if (token < 0 || token >= experiment.model.vocabularySize)
                return false;
        if (i % length != length - 1 && batch.labels[i] != batch.inputs[i + 1])
            return false;
    }
    return true;
}

template <class Token>
QByteArray bytesOf(const std::vector<Token> &tokens)
{
    return {reinterpret_cast<const char *>(tokens.data()), static_cast<qsizetype>(tokens.size() * sizeof(Token))};
}

QByteArray header(std::int32_t magic, std::int32_t version, std::int32_t count)
{
    std::vector<std::int32_t> words(256);
    words[0] = magic;
    words[1] = version;
    words[2] = count;
    return bytesOf(words);
}

} // namespace

class DataTokenSource : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    std::string write(const char *name, const QByteArray &content)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("the test cannot write its file");
        return file.fileName().toStdString();
    }

    static QString refusal(const model::Experiment &experiment, const char *field = "training.data")
    {
        const auto source = openTokens(experiment, {});
        if (source.ok())
            return "accepted";
        if (source.error().kind != base::ErrorKind::InvalidInput || source.error().problems.at(0).field != field)
            return "wrong kind or field: " + QString::fromStdString(source.error().text());
        return QString::fromStdString(source.error().problems[0].message);
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.filePath("data").toUtf8());
    }

    void syntheticDependsOnItsPlaceAlone()
    {
        const auto experiment = experimentWith("synthetic");
        const auto source = openTokens(experiment, {});
        QVERIFY(source.ok());
        const Batch batch = batchOf(**source, experiment, 3, 1);
        QVERIFY(isSound(batch, experiment));
        QVERIFY(batch == batchOf(**openTokens(experiment, {}), experiment, 3, 1));
        QVERIFY(batch != batchOf(**source, experiment, 3, 2));
        QVERIFY(batch != batchOf(**source, experiment, 4, 1));
        auto other = experiment;
        other.training.seed = 2;
        QVERIFY(batch != batchOf(**openTokens(other, {}), experiment, 3, 1));
        // The same sequences, however the step is cut into microbatches.
        other = experiment;
        other.parallel.microbatches = 8;
        other.parallel.microbatchSize = 1;
        const Batch half = batchOf(**openTokens(other, {}), other, 3, 2);
        QVERIFY(std::equal(half.inputs.begin(), half.inputs.end(), batch.inputs.begin()));
    }

    void syntheticCanBeLearned()
    {
        // The entropy of the next token given this one, from counts, is far below ln V.
        const auto experiment = experimentWith("synthetic", 8192, 1024);
        const auto source = openTokens(experiment, {});
        QVERIFY(source.ok());
        std::map<std::int32_t, std::map<std::int32_t, double>> counts;
        double all = 0;
        for (int step = 0; step < 40; ++step) {
            const Batch batch = batchOf(**source, experiment, step, 0);
            for (std::size_t i = 0; i < batch.inputs.size(); ++i, ++all)
                ++counts[batch.inputs[i]][batch.labels[i]];
        }
        double entropy = 0;
        for (const auto &[token, next] : counts) {
            double sum = 0;
            for (const auto &[successor, count] : next)
                sum += count;
            for (const auto &[successor, count] : next)
                entropy -= count / all * std::log(count / sum);
        }
        QVERIFY2(entropy < 4.5 && entropy > 1.5, qPrintable(QString::number(entropy)));
    }

    void syntheticOfExtremeVocabularies()
    {
        for (const int vocabulary : {1, 2, 3'000'000}) {
            const auto experiment = experimentWith("synthetic", vocabulary);
            const auto source = openTokens(experiment, {});
            QVERIFY(source.ok());
            QVERIFY(isSound(batchOf(**source, experiment, 0, 0), experiment));
        }
    }

    void textTrainsATokenizerAndKeepsIt()
    {
        const QByteArray text =
            QByteArray("the pipeline waits for the last stage, and the last stage waits for nobody. ").repeated(50);
        const auto experiment = experimentWith(write("story.txt", text), 300);
        const auto source = openTokens(experiment, {});
        QVERIFY2(source.ok(), source.ok() ? "" : source.error().text().c_str());
        const QString description = QString::fromStdString((*source)->description());
        QVERIFY2(description.startsWith("text story.txt, BPE 292 of 300 tokens, "), qPrintable(description));
        const Batch batch = batchOf(**source, experiment, 0, 0);
        QVERIFY(isSound(batch, experiment));

        QDir kept(m_folder.filePath("data/tokenizers"));
        const QStringList files = kept.entryList({"*-300.bpe"}, QDir::Files);
        QCOMPARE(files.size(), 1);
        QVERIFY(batch == batchOf(**openTokens(experiment, {}), experiment, 0, 0));
        // A damaged one is made again.
        QFile file(kept.filePath(files[0]));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const QByteArray sound = file.readAll();
        QByteArray bad = sound;
        bad[bad.size() - 3] = static_cast<char>(bad[bad.size() - 3] ^ 0x55);
        QVERIFY(file.resize(0) && file.seek(0) && file.write(bad) == bad.size());
        file.close();
        QVERIFY(batch == batchOf(**openTokens(experiment, {}), experiment, 0, 0));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), sound);
    }

    void textThatCannotBeKeptIsUsed()
    {
        write("nofolder", "a file where the data folder should be");
        qputenv("STAGELENS_DATA_DIR", m_folder.filePath("nofolder/data").toUtf8());
        const auto source = openTokens(experimentWith(write("kept.txt", QByteArray("again and ").repeated(30))), {});
        qputenv("STAGELENS_DATA_DIR", m_folder.filePath("data").toUtf8());
        QVERIFY(source.ok());
    }

    void folderIsReadInOrder()
    {
        QVERIFY(QDir(m_folder.path()).mkpath("docs/deep"));
        write("docs/b.md", QByteArray("bbb ").repeated(40));
        write("docs/a.txt", QByteArray("aaa ").repeated(40));
        write("docs/deep/c.md", QByteArray("ccc ").repeated(40));
        write("docs/ignored.png", QByteArray(4000, 'p'));
        const auto experiment = experimentWith(m_folder.filePath("docs").toStdString());
        const auto source = openTokens(experiment, {});
        QVERIFY(source.ok());
        const QString description = QString::fromStdString((*source)->description());
        QVERIFY(description.startsWith("text docs, BPE "));
        QVERIFY2(
            description.contains(", 3 documents with an end-of-text token between them, over which a sequence may reach, "),
            qPrintable(description));
        QVERIFY(openTokens(experimentWith(m_folder.filePath("docs/").toStdString()), {}).ok());
        QVERIFY(QDir(m_folder.path()).mkpath("empty"));
        QVERIFY(refusal(experimentWith(m_folder.filePath("empty").toStdString())).contains("no *.md or *.txt"));
    }

    /// a.txt, b.txt: the end-of-text token is between them and nowhere else, and no token joins their letters.
    void documentsAreSeparated()
    {
        QVERIFY(QDir(m_folder.path()).mkpath("two"));
        write("two/a.txt", "abababababababababababababab");
        write("two/b.txt", "babababababababababababababa");
        write("two/c.txt", "");
        auto experiment = experimentWith(m_folder.filePath("two").toStdString(), 257, 20);
        experiment.parallel.microbatchSize = 40;
        const auto source = openTokens(experiment, {}); // 257 leave no room for merges: a token is a byte
        QVERIFY2(source.ok(), source.ok() ? "" : source.error().text().c_str());
        QVERIFY((*source)->description().find("BPE 257 of 257 tokens, 2 documents") != std::string::npos);
        QVERIFY((*source)->description().find(", 57 tokens") != std::string::npos);
        const Batch batch = batchOf(**source, experiment, 0, 0);
        QVERIFY(isSound(batch, experiment));
        int seen = 0;
        for (std::size_t i = 0; i < batch.inputs.size(); ++i) {
            if (batch.inputs[i] != 256)
                continue;
            ++seen;
            QVERIFY(i % 20 == 0 || batch.inputs[i - 1] == 'b');
            QCOMPARE(batch.labels[i], int{'b'});
        }
        QVERIFY(seen > 0);
        experiment.model.vocabularySize = 256;
        QVERIFY(refusal(experiment, "model.vocabulary_size").contains("at least 257 tokens"));
        experiment.training.data = m_folder.filePath("two/a.txt").toStdString(); // a document alone needs none
        QVERIFY(openTokens(experiment, {}).ok());
    }

    void garbageIsText()
    {
        QByteArray garbage;
        for (unsigned i = 0; i < 20'000; ++i)
            garbage += static_cast<char>(i * i * 7 + i / 13);
        const auto experiment = experimentWith(write("garbage.txt", garbage), 1000);
        const auto source = openTokens(experiment, {});
        QVERIFY(source.ok());
        QVERIFY(isSound(batchOf(**source, experiment, 5, 3), experiment));
    }

    void textIsRefused()
    {
        QVERIFY(refusal(experimentWith(write("short.txt", "hello"))).contains("5 tokens but a sequence of 16 needs 17"));
        QVERIFY(refusal(experimentWith(write("empty.txt", ""))).contains("0 tokens"));
        QVERIFY(refusal(experimentWith(m_folder.filePath("absent.txt").toStdString())).contains("does not exist"));
        QVERIFY(refusal(experimentWith("")).contains("is empty"));
        QVERIFY(refusal(experimentWith(write("some.txt", QByteArray(999, 'x')), 255), "model.vocabulary_size").contains("256"));
        QFile huge(m_folder.filePath("huge.txt"));
        QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64{2} << 30)); // sparse
        QVERIFY(refusal(experimentWith(huge.fileName().toStdString())).contains("2.00 GiB"));
        huge.remove();
    }

    void cancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto source =
            openTokens(experimentWith(write("c.txt", QByteArray("never seen before ").repeated(99))), stop.get_token());
        QVERIFY(!source.ok());
        QCOMPARE(source.error().kind, base::ErrorKind::Cancelled);
    }

    void tokenFiles_data()
    {
        QTest::addColumn<QByteArray>("content");
        std::vector<std::uint16_t> narrow(500);
        std::vector<std::uint32_t> wide(500);
        for (std::size_t i = 0; i < 500; ++i)
            wide[i] = narrow[i] = static_cast<std::uint16_t>(i);
        QTest::newRow("raw") << bytesOf(narrow);
        QTest::newRow("llm.c gpt2") << header(20240520, 1, 500) + bytesOf(narrow);
        QTest::newRow("llm.c llama3") << header(20240801, 7, 500) + bytesOf(wide);
    }
    void tokenFiles()
    {
        QFETCH(QByteArray, content);
        const auto experiment = experimentWith(write("tokens.bin", content));
        const auto source = openTokens(experiment, {});
        QVERIFY2(source.ok(), source.ok() ? "" : source.error().text().c_str());
        QCOMPARE((*source)->description(),
                 std::string("tokens tokens.bin, 500 tokens, the last 31 held back to evaluate with"));
        const Batch batch = batchOf(**source, experiment, 7, 2);
        QVERIFY(isSound(batch, experiment));
        QCOMPARE(batch.labels[0], batch.inputs[0] + 1); // the file counts up
    }

    void trainingNeverSeesWhatIsHeldBack()
    {
        for (const int count : {34, 60, 500}) { // two windows of 17 at least; a 16th where that is more
            std::vector<std::uint16_t> tokens(static_cast<std::size_t>(count));
            std::iota(tokens.begin(), tokens.end(), std::uint16_t{0});
            const auto experiment = experimentWith(write("held.bin", bytesOf(tokens)));
            const auto source = openTokens(experiment, {});
            QVERIFY(source.ok());
            const int firstHeldBack = count - std::max(count / 16, 17);
            int most = 0;
            for (int step = 0; step < 200; ++step)
                most = std::max(most, std::ranges::max(batchOf(**source, experiment, step, 0).labels));
            QCOMPARE(most, firstHeldBack - 1);
            QCOMPARE((*source)->heldBackSequences(), 16);
            Batch batch = batchOf(**source, experiment, 0, 0);
            int least = count;
            for (int microbatch = 0; microbatch < 8; ++microbatch) {
                (*source)->heldBack(microbatch, batch.inputs, batch.labels);
                QVERIFY(isSound(batch, experiment));
                least = std::min(least, std::ranges::min(batch.inputs));
            }
            QCOMPARE(least, firstHeldBack);
        }
        const auto few = openTokens(experimentWith(write("few.bin", bytesOf(std::vector<std::uint16_t>(33, 7)))), {});
        QVERIFY(few.ok());
        QCOMPARE((*few)->heldBackSequences(), 0);
        QCOMPARE((*few)->description(), std::string("tokens few.bin, 33 tokens"));
    }

    void heldBackSequencesAreThoseOfEverySchedule()
    {
        auto experiment = experimentWith("synthetic");
        const auto pairs = openTokens(experiment, {});
        experiment.parallel.microbatchSize = 1;
        experiment.parallel.microbatches = 3;
        const auto singles = openTokens(experiment, {});
        Batch two = batchOf(**pairs, experimentWith("synthetic"), 0, 0);
        const Batch trained = two;
        Batch one = batchOf(**singles, experiment, 0, 0);
        (*pairs)->heldBack(3, two.inputs, two.labels);
        (*singles)->heldBack(7, one.inputs, one.labels);
        QVERIFY(std::ranges::equal(one.labels, std::span(two.labels).last(16)));
        QVERIFY(isSound(one, experiment));
        QVERIFY(trained != two);
    }

    void tokenFilesAreRefused()
    {
        const QByteArray tokens = bytesOf(std::vector<std::uint16_t>(100, 7));
        const auto refused = [&](const QByteArray &content) { return refusal(experimentWith(write("bad.bin", content))); };
        QVERIFY(refused("").contains("is empty"));
        QVERIFY(refused(tokens + "x").contains("odd length of 201"));
        QVERIFY(refused(bytesOf(std::vector<std::uint16_t>(10, 7))).contains("10 tokens"));
        std::vector<std::uint16_t> large(100, 7);
        large[42] = 512;
        QVERIFY(refused(bytesOf(large)).contains("token 512 at position 42"));
        QVERIFY(refused(header(20240520, 1, 101) + tokens).contains("truncated"));
        QVERIFY(refused(header(20240520, 1, 99) + tokens).contains("damaged"));
        QVERIFY(refused(header(20240520, 1, -1) + tokens).contains("-1 tokens"));
        QVERIFY(refused(header(20240520, 2, 100) + tokens).contains("version 2"));
        QVERIFY(refused(header(20240520, 1, 100).left(20)).contains("truncated"));
        QVERIFY(refused(header(20240801, 7, INT32_MAX) + tokens).contains("truncated"));
        std::vector<std::uint32_t> wide(100, 0x80000000U);
        QVERIFY(refused(header(20240801, 7, 100) + bytesOf(wide)).contains("token 2147483648 at position 0"));
        QVERIFY(refusal(experimentWith(m_folder.filePath("absent.bin").toStdString())).contains("cannot be read"));
        QVERIFY(QDir(m_folder.path()).mkpath("folder.bin"));
        QVERIFY(refusal(experimentWith(m_folder.filePath("folder.bin").toStdString())).contains("not a regular file"));
    }

    void tokenFileMayChangeUnderARun()
    {
        const auto experiment = experimentWith(write("live.bin", bytesOf(std::vector<std::uint16_t>(100, 7))));
        const auto source = openTokens(experiment, {});
        QVERIFY(source.ok());
        QFile file(m_folder.filePath("live.bin"));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.write(QByteArray(40, '\xff')) == 40 && file.resize(40));
        file.close();
        QVERIFY(isSound({batchOf(**source, experiment, 0, 0).inputs, batchOf(**source, experiment, 0, 0).labels}, experiment));
    }

    void manyThreadsReadTheSame()
    {
        const auto experiment = experimentWith("synthetic");
        const auto source = openTokens(experiment, {});
        QVERIFY(source.ok());
        const Batch expected = batchOf(**source, experiment, 1, 1);
        std::array<Batch, 4> found;
        {
            std::vector<std::jthread> threads;
            for (Batch &batch : found)
                threads.emplace_back([&] { batch = batchOf(**source, experiment, 1, 1); });
        }
        for (const Batch &batch : found)
            QVERIFY(batch == expected);
    }
};

STAGELENS_TEST(DataTokenSource)

} // namespace unit_data_token_source

#include "data/token_source.moc"
