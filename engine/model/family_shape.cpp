#include "engine/model/family_shape.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagelens::model {

namespace {

/// 1024 devices x 64 chunks still fit a 16-bit stage number (0..65535).
constexpr int kMostChunks = 64;
constexpr int kMostWaves = kMostChunks / 2;
constexpr int kMostSlices = 256;
constexpr int kUsualSlices = 2;

/// Which part of the stages a family offloads itself.
enum class OwnOffload : unsigned char { None, Half, All };

/// A family with more than one stage a device, or with overlapped pairs on request.
struct Shape {
    std::string_view family;
    int least = 1;
    int most = 1;
    int usual = 1;
    bool hasGroups = false;
    OwnOffload offload = OwnOffload::None;
    bool hasPairs = false;
};

constexpr std::array kShapes{
    Shape{.family = kAutomaticFamily, .most = kMostChunks, .hasGroups = true, .hasPairs = true},
    Shape{.family = "1f1b", .hasPairs = true},
    Shape{.family = "interleaved-1f1b", .most = kMostChunks, .usual = 2, .hasGroups = true, .hasPairs = true},
    Shape{"breadth-first", 1, kMostChunks, 2},
    Shape{"interleaved-zb", 1, kMostChunks, 2, true},
    Shape{"gis", 1, kMostChunks, 2, true},
    Shape{"po-h", 2, kMostChunks, 2, false, OwnOffload::Half},
    Shape{"po-f", 2, kMostChunks, 2, false, OwnOffload::All},
    Shape{"zb-v", 2, 2, 2},
    Shape{"v-half", 2, 2, 2},
    Shape{"v-min", 2, 2, 2},
    Shape{"v-zb", 2, 2, 2},
    Shape{"1f1b-v", 2, 2, 2},
    Shape{"dualpipe-v", 2, 2, 2},
    Shape{kCustomFamily, 1, kMostChunks, 1},
};

Shape shapeOf(const ScheduleChoice &choice)
{
    if (choice.family == "hanayo") {
        const int chunks = 2 * std::clamp(choice.waves.value_or(1), 1, kMostWaves);
        return {choice.family, chunks, chunks, chunks};
    }
    const auto *const found = std::ranges::find(kShapes, choice.family, &Shape::family);
    return found == kShapes.end() ? Shape{choice.family} : *found;
}

} // namespace

int stagesPerDevice(const ScheduleChoice &choice)
{
    return choice.chunks.value_or(shapeOf(choice).usual);
}

OffloadChoice offloadOf(const ScheduleChoice &choice)
{
    if (choice.offload.isOn())
        return choice.offload;
    switch (shapeOf(choice).offload) {
    case OwnOffload::None: break;
    case OwnOffload::Half: return {.fraction = 0.5};
    case OwnOffload::All: return {.fraction = 1};
    }
    return {};
}

bool cutsSequences(std::string_view family)
{
    return family == "seq1f1b" || family == "seq1f1b-zb";
}

int slicesOf(const ScheduleChoice &choice)
{
    return cutsSequences(choice.family) ? choice.sequenceSlices.value_or(kUsualSlices) : 1;
}

void chooseFamily(ScheduleChoice &choice, std::string_view family)
{
    if (choice.family == family)
        return;
    choice.family = family;
    choice.file.clear();
    choice.text.clear();
    choice.chunks.reset();
    choice.groupSize.reset();
    choice.waves.reset();
    choice.sequenceSlices.reset();
    choice.sliceCut = SliceCut::Work;
    choice.overlappedPairs = choice.overlappedPairs && leavesPairsOpen(family);
}

bool leavesChunksOpen(std::string_view family)
{
    const auto *const found = std::ranges::find(kShapes, family, &Shape::family);
    return family != kCustomFamily && found != kShapes.end() && found->least < found->most;
}

bool leavesGroupsOpen(std::string_view family)
{
    const auto *const found = std::ranges::find(kShapes, family, &Shape::family);
    return found != kShapes.end() && found->hasGroups;
}

bool leavesPairsOpen(std::string_view family)
{
    const auto *const found = std::ranges::find(kShapes, family, &Shape::family);
    return found != kShapes.end() && found->hasPairs;
}

VocabularyMethod methodOf(const ScheduleChoice &choice)
{
    return parseVocabularyMethod(choice.family).value_or(choice.vocabulary);
}

bool shardsVocabulary(const ScheduleChoice &choice)
{
    return traits(methodOf(choice)).isSharded;
}

bool leavesVocabularyOrderOpen(const ScheduleChoice &choice)
{
    return traits(choice.vocabulary).isSharded && choice.family != kCustomFamily;
}

double passesOfMicrobatch(const ScheduleChoice &choice)
{
    return 3.0 * stagesPerDevice(choice) + (traits(choice.vocabulary).isSharded ? 4 : 0); // F, I, W; S, T, EF, EB
}

int leastStageLayers(const ScheduleChoice &choice)
{
    return traits(choice.vocabulary).redistributesLayers ? 0 : 1;
}

base::Problems shapeProblems(const ScheduleChoice &choice)
{
    base::Problems problems;
    const Shape shape = shapeOf(choice);
    if (const int chunks = stagesPerDevice(choice); chunks < shape.least || chunks > shape.most)
        problems.push_back(
            {"schedule.chunks",
             shape.least == shape.most
                 ? fmt::format("{} has {}{} a device, and {} are given; leave chunks out or give {}", choice.family, shape.most,
                               shape.most == 1 ? " chunk" : " chunks", chunks, shape.most)
                 : fmt::format("is {}; choose {} to {}", chunks, shape.least, shape.most)});
    if (choice.groupSize && !shape.hasGroups)
        problems.push_back(
            {"schedule.group_size",
             fmt::format("{} does not run in groups of microbatches; leave it out or choose interleaved-1f1b", choice.family)});
    else if (choice.groupSize.value_or(1) < 1)
        problems.push_back({"schedule.group_size", fmt::format("is {}; choose 1 or more", *choice.groupSize)});
    if (choice.waves && choice.family != "hanayo")
        problems.push_back({"schedule.waves", fmt::format("{} has no waves; leave it out or choose hanayo", choice.family)});
    else if (const int waves = choice.waves.value_or(1); waves < 1 || waves > kMostWaves)
        problems.push_back({"schedule.waves", fmt::format("is {}; choose 1 to {}", waves, kMostWaves)});
    if (!cutsSequences(choice.family) && (choice.sequenceSlices || choice.sliceCut != SliceCut::Work))
        problems.push_back({choice.sequenceSlices ? "schedule.sequence_slices" : "schedule.slice_cut",
                            fmt::format("{} runs whole sequences; leave it out or choose seq1f1b", choice.family)});
    else if (const int slices = slicesOf(choice); slices < 1 || slices > kMostSlices)
        problems.push_back({"schedule.sequence_slices", fmt::format("is {}; choose 1 to {}", slices, kMostSlices)});
    if (choice.overlappedPairs && !shape.hasPairs)
        problems.push_back(
            {"schedule.overlapped_pairs",
             fmt::format("{} has no pairs to choose; leave it out or choose 1f1b or interleaved-1f1b", choice.family)});
    if (choice.memoryLimit.value_or(1) < 1)
        problems.push_back({"schedule.memory_limit", fmt::format("is {} bytes; choose 1 or more", *choice.memoryLimit)});
    if (!traits(choice.vocabulary).isChoice)
        problems.push_back(
            {"schedule.vocabulary", fmt::format("{} is a family, not a method; leave vocabulary out and choose the schedule {}",
                                                name(choice.vocabulary), name(choice.vocabulary))});
    return problems;
}

} // namespace stagelens::model
