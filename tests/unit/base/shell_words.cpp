// Words that a shell reads back unchanged.
#include "engine/base/shell_words.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QtTest>

#include <random>

namespace unit_base_shell_words {

using namespace stagelens;

namespace {

/// Returns what a shell takes the line for, with a NUL behind each word.
QByteArray readByShell(const std::string &line)
{
    QProcess shell;
    shell.start(QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), QStringLiteral("printf '%s\\0' ") + QString::fromStdString(line)});
    shell.waitForFinished();
    return shell.readAllStandardOutput();
}

} // namespace

class ShellWords : public QObject {
    Q_OBJECT

private slots:
    void leavesPlainWords()
    {
        QCOMPARE(base::shellWord("--stage-layers=4/4,x:y@z%1+2._-"), std::string("--stage-layers=4/4,x:y@z%1+2._-"));
        QCOMPARE(base::shellWord(""), std::string("''"));
        QCOMPARE(base::shellWord("~/a"), std::string("'~/a'"));
        QCOMPARE(base::shellWord("it's"), std::string("'it'\\''s'"));
    }

    void isReadBackByAShell()
    {
        const std::vector<std::string> hostile{
            "a b", "$(touch /tmp/x)", "`id`", "a;b",   "a\nb", "'", "''",    "\\",      "\\'", "\"", "*", "~", "!",
            "#",   "a&b|c>d<e",       "-x",   "$HOME", "\t",   "(", "{a,b}", "\xc3\xa9"};
        QByteArray expected;
        for (const std::string &word : hostile)
            expected += QByteArray::fromStdString(word) + '\0';
        QCOMPARE(readByShell(base::shellLine(hostile)), expected);
    }

    void isReadBackThroughTwoShells()
    {
        const unsigned seed = qEnvironmentVariable("STAGELENS_SEED", QStringLiteral("1")).toUInt();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        const std::string letters = "ab '\"\\$`;&|<>(){}[]*?~#!=%\n\t-";
        std::vector<std::string> words(200);
        QByteArray expected;
        for (std::string &word : words) {
            for (auto count = random() % 9; count > 0; --count)
                word += letters[random() % letters.size()];
            expected += QByteArray::fromStdString(word) + '\0';
        }
        QCOMPARE(readByShell(base::shellLine(words)), expected);
        const std::string inner = "printf '%s\\0' " + base::shellLine(words);
        QProcess shell;
        shell.start(QStringLiteral("/bin/sh"),
                    {QStringLiteral("-c"), QString::fromStdString(base::shellLine({"sh", "-c", inner}))});
        shell.waitForFinished();
        QCOMPARE(shell.readAllStandardOutput(), expected);
    }
};

STAGELENS_TEST(ShellWords)

} // namespace unit_base_shell_words

#include "base/shell_words.moc"
