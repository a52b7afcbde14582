// Comparison with a golden file of tests/golden. With UPDATE_GOLDEN set in the environment, the file is written instead.
#pragma once

#include <QFile>
#include <QTest>

namespace stagelens::test {

/// Fails the test function at the first line that differs. `name` is the path below tests/golden.
inline void compareWithGolden(const QByteArray &text, const QString &name)
{
    QFile file(qEnvironmentVariable("STAGELENS_TEST_DATA") + QStringLiteral("/golden/") + name);
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
        QVERIFY2(file.open(QIODevice::WriteOnly | QIODevice::Truncate), qPrintable(file.errorString()));
        QCOMPARE(file.write(text), text.size());
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName() + QStringLiteral(": ") + file.errorString()));
    const QList<QByteArray> expected = file.readAll().split('\n');
    const QList<QByteArray> actual = text.split('\n');
    QCOMPARE(actual.size(), expected.size());
    for (qsizetype line = 0; line < actual.size(); ++line)
        QCOMPARE(actual[line], expected[line]);
}

} // namespace stagelens::test
