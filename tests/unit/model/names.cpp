// Words of the command line: each enumeration reads what it writes.
#include "engine/model/names.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_model_names {

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
        checkWords<DataType>({"fp32", "bf16", "fp16", "fp8"});
        checkWords<VocabularyMethod>({"none", "redis", "vocab-naive", "vocab-1", "vocab-2"});
        checkWords<VocabularyOrder>({"published", "best"});
        checkWords<VocabularyKind>({"full", "recompute-logits", "chunked"});
        checkWords<Recompute>({"none", "selective", "full"});
        checkWords<Attention>({"flash", "materialised"});
        checkWords<RunMode>({"live", "virtual-clock"});
        checkWords<Collectives>({"overlapped", "blocking"});
    }

    void barriersOfTheMethods()
    {
        QCOMPARE(traits(VocabularyMethod::None).barriers, 0);
        QCOMPARE(traits(VocabularyMethod::Redis).barriers, 0);
        QCOMPARE(traits(VocabularyMethod::Naive).barriers, 3);
        QCOMPARE(traits(VocabularyMethod::Vocab1).barriers, 2);
        QCOMPARE(traits(VocabularyMethod::Vocab2).barriers, 1);
        QVERIFY(!traits(VocabularyMethod::Redis).isSharded && traits(VocabularyMethod::Naive).isSharded);
    }
};

STAGELENS_TEST(ModelNames)

} // namespace unit_model_names

#include "model/names.moc"
