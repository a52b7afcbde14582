// Runs a test's functions once for each instruction set: its initTestCase_data() and init() call these.
#pragma once

#include "kernels/include/instruction_set.h"

#include <QtTest>

namespace stagelens::test {

inline void addInstructionSets()
{
    QTest::addColumn<int>("instructionSet");
    for (const kernels::InstructionSet set : kernels::kInstructionSets)
        QTest::newRow(kernels::name(set).data()) << static_cast<int>(set);
}

inline void useInstructionSetOfRow()
{
    QFETCH_GLOBAL(int, instructionSet);
    const auto set = static_cast<kernels::InstructionSet>(instructionSet);
    if (!kernels::isAvailable(set))
        QSKIP("this processor does not have it");
    kernels::useInstructionSet(set);
}

} // namespace stagelens::test
