// Words of the command line: each enumeration reads what it writes.
#include "engine/model/names.h"

#include <QTest>

using namespace stagelens::model;

namespace {

template <class Enum>
void checkWords(const std::vector<std::string> &words)
{
    QCOMPARE(names<Enum>(), words);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto value = parse<Enum>(words[i]);
        QVERIFY(value.has_value());
        QCOMPARE(static_cast<std::size_t>(*value), i);
        QCOMPARE(std::string(name(*value)), words[i]);
    }
    for (const std::string &wrong : {std::string(), words[0] + " ", "X" + words[0]})
        QVERIFY(!parse<Enum>(wrong));
}

} // namespace

class ModelNames : public QObject {
    Q_OBJECT
private slots:
    void wordsOfTheContract()
    {
        checkWords<ModelFamily>({"gpt", "llama"});
        checkWords<DataType>({"fp32", "bf16", "fp16"});
        checkWords<VocabularyMethod>({"none", "redis", "vocab-naive", "vocab-1", "vocab-2"});
        checkWords<VocabularyOrder>({"published", "best"});
        checkWords<Recompute>({"none", "selective", "full"});
        checkWords<RunMode>({"live", "virtual-clock"});
        checkWords<Collectives>({"overlapped", "blocking"});
    }

    void barriersOfTheMethods()
    {
        QCOMPARE(barrierCount(VocabularyMethod::None), 0);
        QCOMPARE(barrierCount(VocabularyMethod::Redis), 0);
        QCOMPARE(barrierCount(VocabularyMethod::Naive), 3);
        QCOMPARE(barrierCount(VocabularyMethod::Vocab1), 2);
        QCOMPARE(barrierCount(VocabularyMethod::Vocab2), 1);
        QVERIFY(!isSharded(VocabularyMethod::Redis) && isSharded(VocabularyMethod::Naive));
    }
};

QTEST_GUILESS_MAIN(ModelNames)
#include "names.moc"
