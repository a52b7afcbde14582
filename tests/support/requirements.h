// The requirements of a pass as a list, for tests that check them one by one.
#pragma once

#include "engine/passes/requirements.h"

#include <vector>

namespace stagelens::test {

inline std::vector<schedule::Requirement> requirementsOf(const schedule::RequirementRules &rules, const schedule::Pass &pass)
{
    std::vector<schedule::Requirement> all;
    schedule::forEachRequirement(rules, pass, [&](const schedule::Requirement &each) { all.push_back(each); });
    return all;
}
inline std::vector<schedule::Requirement> requirementsOf(const schedule::Schedule &schedule, const schedule::Pass &pass)
{
    return requirementsOf({schedule.placement().lastStage(), schedule.vocabulary()}, pass);
}

} // namespace stagelens::test
