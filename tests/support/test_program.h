// Many tests in one program: compiled together, run one at a time. The program's first argument names the test by its file.
#pragma once

#include <QtTest>
#include <functional>
#include <string>
#include <string_view>

namespace stagelens::test {

/// A test of the program at hand: `file` is __FILE__, `run` executes its slots with the arguments of Qt Test and returns its
/// failures.
struct RegisteredTest {
    std::string_view file;
    std::function<int(int argc, char **argv)> run;
};

/// Registers a test before main() begins. Returns true, for the constant that STAGELENS_TEST defines.
bool registerTest(RegisteredTest test);

/// Runs the slots of a test, after its initMain() if it has one, as QTEST_MAIN does.
template <class Test>
int runTest(int argc, char **argv)
{
    if constexpr (requires { Test::initMain(); })
        Test::initMain();
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace stagelens::test

/// Stands where QTEST_MAIN would: tests/support/test_program.cpp has the one main().
#define STAGELENS_TEST(Class)                                                                                                  \
    static const bool isRegistered = stagelens::test::registerTest({__FILE__, stagelens::test::runTest<Class>});
