#include "engine/model/schema/row.h"

#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"

namespace stagelens::model {

std::vector<Field> scheduleRows()
{
    using Kind = Field::Kind;
    std::vector<FieldChoice> methods;
    for (const VocabularyTraits &method : kVocabularyChoices)
        methods.push_back({method.name, method.caption, method.description});
    return {
        row("schedule.family", "--schedule", "FAMILY", "Schedule",
            "the order in which each device runs its passes: see `list schedules`; auto searches them", MEMBER(schedule.family),
            setBy([](Experiment &e, const FieldValue &value) {
                chooseFamily(e.schedule, std::get<std::string>(value));
                return std::string();
            }),
            as(Kind::Choice), sweep({"gpipe, 1f1b, interleaved-1f1b, zb-h1, v-half", 7})),
        row("schedule.file", "--schedule-file", "FILE", "Schedule file",
            "a custom schedule: Stagelens' text form, or a CSV of PyTorch's pipelining; - is standard input",
            MEMBER(schedule.file), as(Kind::File), omitted(),
            where([](const Experiment &e) { return e.schedule.family == kCustomFamily; })),
        row("schedule.text", {}, {}, "Custom order", "the custom schedule itself", MEMBER(schedule.text), omitted()),
        row("schedule.vocabulary", "--vocabulary", "METHOD", "Vocabulary layers",
            "where the input embedding and the output layer are computed: see `list vocabularies`", MEMBER(schedule.vocabulary),
            oneOf(std::move(methods))),
        row("schedule.vocabulary_order", "--vocabulary-order", "ORDER", "Order of S and T",
            "where the vocabulary passes stand among the others: published or best", MEMBER(schedule.vocabularyOrder),
            oneOf({{"published", "As published", "The order of the paper, or the family's nearest to it"},
                   {"best", "Best for these costs", "Placed for the costs at hand; never longer than the published order"}}),
            where([](const Experiment &e) { return leavesVocabularyOrderOpen(e.schedule); })),
        row("schedule.vocabulary_kind", "--vocabulary-kind", "KIND", "Logits",
            "what the output layer keeps of a microbatch until its gradient: full keeps exp(logits); recompute-logits keeps "
            "three numbers a token and multiplies again",
            MEMBER(schedule.vocabularyKind),
            oneOf({{"full", "Kept", "exp(logits) of every token and word are kept until the gradient of the output layer"},
                   {"recompute-logits", "Computed again",
                    "Only the statistics of each token are kept; the gradient takes one more product. The numbers are the "
                    "same"}}),
            omitted(), where(kHasModel), sweep({"full, recompute-logits", 9, true})),
        row("schedule.chunks", "--chunks", "v", "Chunks", "stages of each device (interleaved families; 2)",
            MEMBER(schedule.chunks), where([](const Experiment &e) { return leavesChunksOpen(e.schedule.family); }),
            sweep({"2, 4", 8})),
        row("schedule.group_size", "--group-size", "g", "Group size",
            "microbatches that go through a chunk before the next chunk's turn (interleaved families; p); a rest that would "
            "not fill the pipeline makes groups larger",
            MEMBER(schedule.groupSize), orElse("devices"), omitted(),
            where([](const Experiment &e) { return leavesGroupsOpen(e.schedule.family); })),
        row("schedule.waves", "--waves", "w", "Waves", "times down and up the devices, two chunks each (hanayo; 1)",
            MEMBER(schedule.waves), omitted(), where([](const Experiment &e) { return e.schedule.family == "hanayo"; })),
        row("schedule.sequence_slices", "--sequence-slices", "n", "Sequence slices",
            "slices of each sequence (seq1f1b families; 2)", MEMBER(schedule.sequenceSlices), omitted(), where(kCutsSequences)),
        row("schedule.slice_cut", "--slice-cut", "HOW", "Slices of equal",
            "where sequences are cut: slices of equal work, or of equal length", MEMBER(schedule.sliceCut),
            oneOf({{"work", "Work", "Later slices are shorter, for their attention reads more keys"},
                   {"length", "Length", "Later slices take longer"}}),
            omitted(), where(kCutsSequences)),
        row("schedule.memory_limit", "--memory-limit", "BYTES", "Memory limit (GiB)",
            "most memory of a device, such as 80GiB; what needs more is refused, and families that adapt keep to it",
            MEMBER(schedule.memoryLimit), orElse("none"), omitted(), where(kHasModel)),
        row("schedule.recompute", "--recompute", "HOW", "Recomputation",
            "which activations are computed again in the backward instead of being kept: none, selective or full; or how many "
            "of the first layers of each stage are computed again: a number, or one for each stage, such as 3/1/0/0",
            MEMBER(schedule.recompute), setBy(setRecompute),
            oneOf({{"none", "None"}, {"selective", "Selective"}, {"full", "Full"}}), sweep({"none, selective, full", 9, true})),
        row("schedule.attention", "--attention", "HOW", "Attention",
            "flash computes the probabilities again in the backward; materialised keeps them, a s x s matrix for each head",
            MEMBER(schedule.attention),
            oneOf({{"flash", "Flash", "Probabilities are never stored: the backward computes them again"},
                   {"materialised", "Materialised", "Probabilities stay in memory from F to B, s x s numbers for each head"}}),
            omitted(), where(kHasModel)),
    };
}

} // namespace stagelens::model
