// What a corpus would make of smaller vocabularies.
#include "engine/runtime/data/vocabulary_use.h"
#include "engine/runtime/data/sources.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstdint>
#include <vector>

namespace unit_data_vocabulary_use {

using namespace stagelens;

class DataVocabularyUse : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    std::string write(const QString &name, const QByteArray &content)
    {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("the test cannot write its file");
        return path.toStdString();
    }

    static model::Experiment experimentWith(const std::string &data, int vocabulary)
    {
        model::Experiment experiment;
        experiment.model.vocabularySize = vocabulary;
        experiment.training.data = data;
        return experiment;
    }

    /// Words that differ in frequency, so that every merge is useful for a while.
    static QByteArray textOf(int words, int first)
    {
        QByteArray text;
        for (int i = 0; i < words; ++i)
            text += "the word" + QByteArray::number(first + i * i % 97) + (i % 7 == 0 ? " stage\n" : " pass ");
        return text;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.filePath("data").toUtf8());
    }

    /// Zipf's law with exponent 1 over 256,000 tokens: the shares of beyond-pipelines.md, 6.2, in closed form H(k) /
    /// H(256,000).
    void coverageOfZipfsLaw()
    {
        constexpr int kAll = 256'000;
        std::vector<std::int64_t> counts;
        for (int i = 0; i < kAll; ++i) // in no order
            counts.push_back(1'000'000'000'000'000 / (1 + static_cast<std::int64_t>(i) * 7919 % kAll));
        const std::vector<std::int32_t> sizes{kAll, 65'536, 32'768, 16'384, 8'192, 4'096, 2'048, 1'000'000};
        const std::vector<double> published{1, 0.895, 0.842, 0.789, 0.736, 0.683, 0.630, 1};
        const std::vector<double> shares = runtime::coverage(counts, sizes);
        for (std::size_t i = 0; i < sizes.size(); ++i)
            QVERIFY2(std::abs(shares[i] - published[i]) < 6e-4, qPrintable(QString::number(shares[i])));
        QCOMPARE(runtime::coverage({}, sizes), std::vector<double>(sizes.size(), 1));
    }

    /// The tokenizer cut after n tokens is the one trained for n.
    void aShorterTokenizerIsTheOneTrainedForItsSize()
    {
        write("docs/a.md", textOf(400, 0));
        write("docs/b.txt", textOf(300, 50));
        for (const auto &place : {m_folder.filePath("docs"), m_folder.filePath("docs/a.md")}) {
            const auto read = runtime::readDocuments(place.toStdString());
            QVERIFY(read.ok());
            const auto tokenizer = runtime::tokenizerFor(*read, 400, {});
            QVERIFY(tokenizer.ok());
            QCOMPARE(tokenizer->hasSeparators, read->ends.size() > 1);
            for (const int size : {257, 280, 333, 400}) {
                const auto trained = runtime::tokenizerFor(*read, size, {});
                QVERIFY(trained.ok());
                QVERIFY(tokenizer->shortened(size).merges == trained->merges);
                QVERIFY(*tokenizer->shortened(size).encode(*read, {}) == *trained->encode(*read, {}));
            }
        }
    }

    void aTextHasMoreTokensWithASmallerVocabulary()
    {
        const auto use = runtime::vocabularyUse(experimentWith(write("text.txt", textOf(3000, 1)), 2000), {});
        QVERIFY2(use.ok(), use.ok() ? "" : use.error().text().c_str());
        QVERIFY(use->isWhole);
        std::vector<std::int32_t> sizes;
        for (const runtime::SmallerVocabulary &each : use->smaller) {
            sizes.push_back(each.size);
            QVERIFY(each.tokens.has_value());
        }
        QCOMPARE(sizes, (std::vector<std::int32_t>{2000, 1024, 512}));
        QCOMPARE(*use->smaller[0].tokens, use->tokens);
        QCOMPARE(use->smaller[0].covered, 1.0);
        for (std::size_t i = 1; i < use->smaller.size(); ++i) {
            QVERIFY(*use->smaller[i].tokens >= *use->smaller[i - 1].tokens);
            QVERIFY(use->smaller[i].covered <= use->smaller[i - 1].covered);
        }
        QVERIFY(use->used > 0 && use->used <= 2000);
    }

    /// Of four tokens in a vocabulary of 1,024, half of them one.
    void aTokenFileHasNoTokenizer()
    {
        std::vector<std::uint16_t> tokens;
        for (int i = 0; i < 100'000; ++i)
            tokens.push_back(static_cast<std::uint16_t>(i % 2 == 0 ? 7 : 600 + i % 6));
        const QByteArray bytes(reinterpret_cast<const char *>(tokens.data()), static_cast<qsizetype>(2 * tokens.size()));
        const auto use = runtime::vocabularyUse(experimentWith(write("t.bin", bytes), 1024), {});
        QVERIFY(use.ok());
        QCOMPARE(use->used, 4);
        QCOMPARE(use->tokens, 100'000);
        QCOMPARE(use->smaller.size(), 2U);
        QCOMPARE(use->smaller[1].size, 512);
        QCOMPARE(use->smaller[1].covered, 1.0);
        QVERIFY(!use->smaller[0].tokens.has_value());
    }

    void whatCannotBeCountedIsRefused()
    {
        const auto synthetic = runtime::vocabularyUse(experimentWith("synthetic", 512), {});
        QVERIFY(!synthetic.ok());
        QCOMPARE(synthetic.error().problems.at(0).field, std::string("training.data"));
        QVERIFY(synthetic.error().problems[0].message.find("name a text") != std::string::npos);
        QVERIFY(!runtime::vocabularyUse(experimentWith(m_folder.filePath("none.txt").toStdString(), 512), {}).ok());
        const auto tiny = runtime::vocabularyUse(experimentWith(write("c.txt", "abc"), 100), {});
        QVERIFY(!tiny.ok());
        QCOMPARE(tiny.error().problems.at(0).field, std::string("model.vocabulary_size"));
    }

    void aStopIsHeard()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto use = runtime::vocabularyUse(experimentWith(write("s.txt", textOf(2000, 2)), 700), stop.get_token());
        QVERIFY(!use.ok());
        QCOMPARE(use.error().kind, base::ErrorKind::Cancelled);
    }
};

STAGELENS_TEST(DataVocabularyUse)

} // namespace unit_data_vocabulary_use

#include "data/vocabulary_use.moc"
