#include "tests/support/test_program.h"

#include <QTemporaryDir>

#include <cstdio>
#include <vector>

namespace stagelens::test {
namespace {

/// Not a global: tests register before globals of this file would be constructed.
std::vector<RegisteredTest> &registeredTests()
{
    static std::vector<RegisteredTest> tests;
    return tests;
}

/// Returns the test of `name`, the path of its file below `tests` without `.cpp`; nullptr if it does not exist.
const RegisteredTest *findTest(std::string_view name)
{
    const std::string ending = "/tests/" + std::string(name) + ".cpp";
    for (const RegisteredTest &test : registeredTests())
        if (test.file.ends_with(ending))
            return &test;
    return nullptr;
}

} // namespace

bool registerTest(RegisteredTest test)
{
    registeredTests().push_back(std::move(test));
    return true;
}

} // namespace stagelens::test

/// Runs one test: PROGRAM label/path/of/its/file [arguments of Qt Test].
int main(int argc, char **argv)
{
    using namespace stagelens;
    const test::RegisteredTest *const found = argc > 1 ? test::findTest(argv[1]) : nullptr;
    if (found == nullptr) {
        std::fprintf(stderr, "%s: name one of these tests first, then arguments of Qt Test:\n", argv[0]);
        for (const test::RegisteredTest &test : test::registeredTests())
            std::fprintf(stderr, "  %.*s\n", static_cast<int>(test.file.size()), test.file.data());
        return 2;
    }
    argv[1] = argv[0];
    --argc;
    ++argv;
#ifdef QT_WIDGETS_LIB
    const QApplication application(argc, argv);
#else
    const QCoreApplication application(argc, argv);
#endif
    const QTemporaryDir data; // nothing of the person's own, such as the costs of this computer, changes a test
    if (qEnvironmentVariableIsEmpty("STAGELENS_DATA_DIR"))
        qputenv("STAGELENS_DATA_DIR", data.path().toUtf8());
    // CTest limits the time of a test. Qt's own limit of five minutes a function is counted over several where the thread that
    // counts misses that one ended, as it does on a busy machine.
    if (qEnvironmentVariableIsEmpty("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", "3600000");
    QTEST_SET_MAIN_SOURCE_PATH
    return found->run(argc, argv);
}
