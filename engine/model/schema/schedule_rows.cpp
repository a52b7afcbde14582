#include "engine/base/text.h"
#include "engine/model/schema/row.h"

#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"

#include <fmt/format.h>

namespace stagelens::model {

namespace {

constexpr double kMostIterations = 1000;
constexpr std::string_view kChunksTip = "The output layer computes its gradient for a part of the tokens at a time, and no "
                                        "logits are kept. The sums over the tokens are rounded differently";

/// A kind that is a number of the model: a word, its field, and messages without and beyond the numbers.
struct KindOfModel {
    std::string_view word;
    std::string_view field;
    std::string_view example;
    std::string_view missing; ///< "the width of the tables"
    std::string_view counted; ///< "tables have {} to {} columns"
};
constexpr std::array kKindsOfModel{
    KindOfModel{"factorised", "model.vocabulary_width", "factorised=128", "the width of the tables",
                "tables have {:.0f} to {:.0f} columns"},
    KindOfModel{"hashed", "model.input_hashes", "hashed=2", "the number of hashes", "there are {:.0f} to {:.0f} hashes"},
    KindOfModel{"heads", "model.output_heads", "heads=2", "the number of heads", "there are {:.0f} to {:.0f} heads"},
};

/// Sets a field of the model, and leaves what is kept of the logits.
std::string setOfModel(Experiment &experiment, const KindOfModel &kind, std::string_view word)
{
    const std::string_view rest = word.substr(kind.word.size());
    const auto number = base::parseInteger(rest.starts_with('=') ? rest.substr(1) : std::string_view());
    const Field &field = schemaField(kind.field);
    if (!number)
        return fmt::format("is {}, without {}; choose {}", base::quoted(word), kind.missing, kind.example);
    if (static_cast<double>(*number) < field.least || static_cast<double>(*number) > field.most)
        return fmt::format("is {}, but {}; choose {}", base::quoted(word),
                           fmt::format(fmt::runtime(kind.counted), field.least, field.most), kind.example);
    const ModelConfig before = experiment.model;
    std::string fault = field.assign(experiment, *number);
    if (experiment.model != before)
        experiment.model.preset = "custom";
    return fault;
}

std::string setVocabularyKind(Experiment &experiment, const FieldValue &value)
{
    const std::string &word = std::get<std::string>(value);
    const std::size_t equals = word.find('=');
    for (const KindOfModel &kind : kKindsOfModel)
        if (word.substr(0, equals) == kind.word)
            return setOfModel(experiment, kind, word);
    const auto kind = parse<VocabularyKind>(std::string_view(word).substr(0, equals));
    const bool hasCount = equals != std::string::npos;
    if (!kind || (hasCount && *kind != VocabularyKind::Chunked))
        return unknownWord(word, {"full", "recompute-logits", "a number of chunks such as chunked=8",
                                  "a width such as factorised=128", "hashes such as hashed=2", "heads such as heads=2"});
    int chunks = 1;
    if (*kind == VocabularyKind::Chunked) {
        const auto count = base::parseInteger(hasCount ? std::string_view(word).substr(equals + 1) : std::string_view());
        constexpr std::int64_t kMost = std::numeric_limits<int>::max();
        if (!count)
            return fmt::format("is {}, without the number of chunks; choose chunked=8", base::quoted(word));
        if (*count < 1 || *count > kMost)
            return fmt::format("is {}, but there are 1 to {} chunks; choose chunked={}", base::quoted(word), kMost,
                               std::clamp<std::int64_t>(*count, 1, kMost));
        chunks = static_cast<int>(*count);
    }
    experiment.schedule.vocabularyKind = *kind;
    experiment.schedule.logitChunks = chunks;
    return {};
}

} // namespace

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
            "three numbers a token and multiplies again; chunked=C keeps no more, and computes a C-th of the tokens at a time; "
            "factorised=E is short for --vocabulary-width E, hashed=K for --input-hashes K, heads=K for --output-heads K",
            by([](const Experiment &e) { return FieldValue(vocabularyKindText(e.schedule)); }, setVocabularyKind),
            as(Kind::Choice),
            oneOf({{"full", "Kept", "exp(logits) of every token and word are kept until the gradient of the output layer"},
                   {"recompute-logits", "Computed again",
                    "Only the statistics of each token are kept; the gradient takes one more product. The numbers are the "
                    "same"},
                   {"chunked=1", "1 chunk", "No logits are kept: a whole output layer does all of its work in the backward"},
                   {"chunked=2", "2 chunks", kChunksTip},
                   {"chunked=4", "4 chunks", kChunksTip},
                   {"chunked=8", "8 chunks", kChunksTip},
                   {"chunked=16", "16 chunks", kChunksTip},
                   {"chunked=64", "64 chunks", kChunksTip}}),
            omitted(), where(kHasModel), sweep({"full, recompute-logits, chunked=8", 9, true})),
        row("schedule.chunks", "--chunks", "v", "Chunks", "stages of each device (interleaved families; 2)",
            MEMBER(schedule.chunks), where([](const Experiment &e) { return leavesChunksOpen(e.schedule.family); }),
            sweep({"2, 4", 8})),
        row("schedule.group_size", "--group-size", "g", "Group size",
            "microbatches that go through a chunk before the next chunk's turn (interleaved families; p); a rest that would "
            "not fill the pipeline makes groups larger",
            MEMBER(schedule.groupSize), orElse("devices"), omitted(),
            where([](const Experiment &e) { return leavesGroupsOpen(e.schedule.family); })),
        row("schedule.overlapped_pairs", "--overlapped-pairs", "--no-overlapped-pairs", "Overlapped pairs",
            "a forward and a backward of different microbatches run at once in the steady phase (1f1b, interleaved-1f1b): "
            "all-to-alls of experts hide behind the computation of the other, for more activations: up to twice those of 1f1b, "
            "or those of one more pass of interleaved-1f1b",
            MEMBER(schedule.overlappedPairs), omitted(),
            where([](const Experiment &e) { return leavesPairsOpen(e.schedule.family); })),
        row("schedule.waves", "--waves", "w", "Waves", "times down and up the devices, two chunks each (hanayo; 1)",
            MEMBER(schedule.waves), omitted(), where([](const Experiment &e) { return e.schedule.family == "hanayo"; })),
        row("schedule.sequence_slices", "--sequence-slices", "n", "Sequence slices",
            "slices of each sequence (seq1f1b families; 2)", MEMBER(schedule.sequenceSlices), omitted(), where(kCutsSequences)),
        row("schedule.slice_cut", "--slice-cut", "HOW", "Slices of equal",
            "where sequences are cut: slices of equal work, or of equal length", MEMBER(schedule.sliceCut),
            oneOf({{"work", "Work", "Later slices are shorter, for their attention reads more keys"},
                   {"length", "Length", "Later slices take longer"}}),
            omitted(), where(kCutsSequences)),
        row("schedule.iterations", "--iterations", "k", "Iterations",
            "consecutive steps in the timeline; asynchronous families do not drain between them", MEMBER(schedule.iterations),
            range(1, kMostIterations), omitted()),
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
