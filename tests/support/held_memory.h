// Compares the memory that the devices of a run hold with what was planned.
#pragma once

#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "tests/support/trained.h"

#include <QtTest>

namespace stagelens::test {

/// Trains the plan. Each category of each device must have its planned peak; messages, which live until their receivers have
/// used them, may have less.
inline void verifyHeldMemory(const model::Experiment &plan)
{
    const schedule::Schedule schedule = scheduleOf(plan);
    const auto planned = runtime::memoryPlan(plan, runtime::lowered(schedule));
    QVERIFY(planned.ok());
    runtime::TrainingObserver observer;
    observer.onStep = [&](const runtime::StepReport &report) {
        for (std::size_t device = 0; device < planned->size(); ++device) {
            simulate::MemoryByCategory held = report.peakMemory[device];
            simulate::MemoryByCategory peak = (*planned)[device].peak;
            QVERIFY(held[backend::kMessages] <= peak[backend::kMessages]);
            held[backend::kMessages] = peak[backend::kMessages] = 0;
            QCOMPARE(held, peak);
        }
    };
    const auto trained = runtime::train(plan, schedule, {}, observer, {});
    QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
}

} // namespace stagelens::test
