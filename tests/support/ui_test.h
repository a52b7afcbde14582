// What every test of the window shares.
#pragma once

#include <QRegularExpression>
#include <QTest>

namespace stagelens::test {

/// How long a test waits for what a machine under load, or a sanitizer, makes slow, in ms. Only a test that fails waits so
/// long.
inline constexpr int kPatience = 240'000;

/// Makes any warning of Qt that the test did not announce (QTest::ignoreMessage) fail the running test function. Call it in
/// init(): Qt forgets it after each function. The offscreen platform's own remarks on what it
/// cannot do (size hints, raising, grabbing) are let through.
inline void failOnWarnings()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support )")));
}

} // namespace stagelens::test
