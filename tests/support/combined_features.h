// Changes of a plan with which every kind of vocabulary is combined, as rows of a test's data.
#pragma once

#include "engine/model/experiment.h"

#include <QtTest>

#include <functional>
#include <utility>

namespace stagelens::test {

using PlanChange = std::function<void(model::Experiment &)>;

/// Adds a row to a test with a column "change" of that type.
inline void addChange(const char *name, PlanChange change)
{
    QTest::newRow(name) << std::move(change);
}

/// Context ranks, replicas, slices, and families that keep weight versions or run in two directions.
inline void addCommonChanges()
{
    addChange("context", [](auto &each) { each.parallel.context = 2; });
    addChange("replicas", [](auto &each) {
        each.parallel.replicas = 2;
        each.parallel.zero = 1;
    });
    addChange("zero 3", [](auto &each) {
        each.parallel.replicas = 2;
        each.parallel.zero = 3;
    });
    addChange("slices", [](auto &each) { each.schedule.family = "seq1f1b"; });
    addChange("weight versions", [](auto &each) { each.schedule.family = "pipedream-2bw"; });
    addChange("two directions", [](auto &each) { each.schedule.family = "dualpipe"; });
}

} // namespace stagelens::test
