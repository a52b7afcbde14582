#include "engine/passes/recipe_book.h"

#include "engine/model/names.h"
#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace stagelens::schedule {
namespace {

constexpr std::array<MessageTraits, kMessageKinds> kMessages{{
    {Transfer::Send, Route::Next},                // Output
    {Transfer::BroadcastX, Route::FromLast},      // LastOutput
    {Transfer::Statistics, Route::Everyone, 1},   // Maxima
    {Transfer::Statistics, Route::Everyone, 2},   // Sums
    {Transfer::Statistics, Route::Everyone, 3},   // Statistics
    {Transfer::Statistics, Route::ToLast},        // WeighedRows
    {Transfer::Statistics, Route::ToLast},        // LabelRows
    {Transfer::ReduceGradient, Route::ToLast},    // OutputGradient
    {Transfer::Send, Route::Previous},            // Gradient
    {Transfer::EmbedReduce, Route::ToFirst},      // Embeddings
    {Transfer::EmbedBroadcast, Route::FromFirst}, // FirstGradient
    {},                                           // NormGradient
    {},                                           // Partial
    {},                                           // TokenPartial
}};

/// The order of a microbatch's passes on a device. W follows I.
constexpr std::array kChain{PassKind::EF, PassKind::F, PassKind::S, PassKind::U,
                            PassKind::T,  PassKind::B, PassKind::W, PassKind::EB};

PassKind chainKind(PassKind kind)
{
    return kind == PassKind::I ? PassKind::B : kind;
}

/// Returns a bit for each kept value that the pass makes or reads.
std::uint32_t keptBy(const PassRecipe &recipe)
{
    std::uint32_t kept = 0;
    for (const PassStep &each : recipe.steps)
        for (const auto *values : {&each.in, &each.out})
            for (const PassValue value : *values)
                kept |= isMessage(value) ? 0U : 1U << static_cast<unsigned>(value);
    return kept;
}

bool sends(const PassRecipe &recipe, PassValue message)
{
    return std::ranges::any_of(recipe.steps, [message](const PassStep &each) {
        return each.kind == PassStepKind::Send && each.in.front() == message;
    });
}

bool receives(const PassRecipe &recipe, PassValue message)
{
    return std::ranges::any_of(recipe.steps, [message](const PassStep &each) {
        return each.kind == PassStepKind::Receive && each.in.front() == message;
    });
}

/// Returns whether the first step that touches a value computes it, so that no earlier pass needs to have kept it.
bool computesAnew(const PassRecipe &recipe, PassValue value)
{
    for (const PassStep &each : recipe.steps)
        if (std::ranges::count(each.in, value) + std::ranges::count(each.out, value) > 0)
            return each.kind == PassStepKind::Logits && std::ranges::count(each.out, value) > 0;
    return false;
}

RelativeRequirement::Stage makerOf(Route route)
{
    using Stage = RelativeRequirement::Stage;
    switch (route) {
    case Route::Next: return Stage::Previous;
    case Route::Previous: return Stage::Next;
    case Route::FromLast: return Stage::Last;
    case Route::FromFirst: return Stage::First;
    case Route::ToLast:
    case Route::ToFirst:
    case Route::Everyone: break;
    }
    return Stage::AllDevices;
}

} // namespace

const MessageTraits &traits(PassValue message)
{
    return kMessages[messageIndex(message)];
}

RecipeBook::RecipeBook(model::VocabularyMethod method, const RecipeChoice &choice) : m_method(method)
{
    write(choice);
    findEndpoints();
    for (int kind = 0; kind < kPassKindCount; ++kind)
        for (std::size_t bits = 0; bits < kRoles; ++bits) {
            const PassRole role{static_cast<PassKind>(kind), (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
                                (bits & 8) != 0};
            addRequirements(role);
            addUses(role);
        }
}

void RecipeBook::write(const RecipeChoice &choice)
{
    for (const bool isOnLastDevice : {false, true}) {
        VocabularySteps vocabulary = shared(vocabularyLayer(model::name(m_method)).steps(isOnLastDevice), choice.sharing);
        if (choice.kind == model::VocabularyKind::RecomputeLogits)
            vocabulary = withRebuiltLogits(std::move(vocabulary));
        if (choice.kind == model::VocabularyKind::Chunked)
            vocabulary = withLogitsInParts(std::move(vocabulary));
        if (choice.hasTails)
            vocabulary = withTails(std::move(vocabulary));
        vocabulary.mapsInput = choice.mapsInput;
        vocabulary.mapsOutput = vocabulary.mapsOutput || choice.mapsOutput;
        for (int kind = 0; kind < kPassKindCount; ++kind)
            for (std::size_t bits = 0; bits < kRoles / 2; ++bits) {
                const PassRole role{static_cast<PassKind>(kind), (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
                                    isOnLastDevice};
                PassRecipe &recipe = m_recipes[index(role)];
                recipe.steps = stepsOf(role, vocabulary, choice.recomputes, choice.sharing);
                if (role.kind == PassKind::F && role.isLast && !vocabulary.evaluation.empty()) {
                    recipe.evaluation = recipe.steps;
                    append(recipe.evaluation, vocabulary.evaluation);
                }
            }
    }
}

void RecipeBook::findEndpoints()
{
    for (std::size_t i = 0; i < kMessageKinds; ++i) {
        const auto message = static_cast<PassValue>(kKeptValues + i);
        const auto firstKind = [this](const auto &matches) {
            for (const PassKind kind : kChain)
                for (std::size_t role = 0; role < kRoles; ++role)
                    if (matches(m_recipes[static_cast<std::size_t>(kind) * kRoles + role]))
                        return kind;
            return PassKind::O;
        };
        m_senders[i] = firstKind([message](const PassRecipe &recipe) { return sends(recipe, message); });
        m_receivers[i] = firstKind([message](const PassRecipe &recipe) { return receives(recipe, message); });
    }
}

void RecipeBook::addRequirements(const PassRole &role)
{
    PassRecipe &recipe = m_recipes[index(role)];
    const auto add = [&recipe](PassKind kind, RelativeRequirement::Stage stage, Transfer transfer) {
        const bool isKnown = std::ranges::any_of(recipe.requirements, [&](const RelativeRequirement &known) {
            return known.kind == kind && known.stage == stage && known.transfer == transfer;
        });
        if (!isKnown)
            recipe.requirements.push_back({kind, stage, transfer});
    };
    if (role.kind == PassKind::B || role.kind == PassKind::I)
        add(PassKind::F, RelativeRequirement::Stage::Own, Transfer::Local);
    if (role.kind == PassKind::W)
        add(PassKind::I, RelativeRequirement::Stage::Own, Transfer::Local);
    for (const PassStep &each : recipe.steps) {
        if (each.kind != PassStepKind::Receive)
            continue;
        const PassValue message = each.in.front();
        if (const PassKind sender = senderOf(message);
            sender != role.kind || !isVocabularyPass(sender)) // else a barrier inside
            add(sender, makerOf(traits(message).route), traits(message).transfer);
    }
}

std::vector<PassValue> RecipeBook::sentBy(const PassRole &role) const
{
    std::vector<PassValue> sent;
    for (const PassStep &each : of(role).steps)
        if (each.kind == PassStepKind::Send)
            sent.push_back(each.in.front());
    return sent;
}

bool RecipeBook::uses(Transfer transfer) const
{
    for (std::size_t i = 0; i < kMessageKinds; ++i)
        if (kMessages[i].transfer == transfer && m_senders[i] != PassKind::O)
            return true;
    return false;
}

bool RecipeBook::hasBarrierInside(PassKind kind) const
{
    for (std::size_t i = 0; i < kMessageKinds && isVocabularyPass(kind); ++i)
        if (m_senders[i] == kind && m_receivers[i] == kind)
            return true;
    return false;
}

const PassRecipe *RecipeBook::relative(const PassRole &role, PassKind kind) const
{
    PassRole other = role;
    other.kind = kind;
    if (isOfStage(kind) && !isOfStage(role.kind)) {
        if (!role.isOnLastDevice)
            return nullptr;
        other = {.kind = kind, .isLast = true};
    }
    if (!isOfStage(kind))
        other.isOnLastDevice = isOfStage(role.kind) ? role.isLast : role.isOnLastDevice;
    return &m_recipes[index(other)];
}

void RecipeBook::addUses(const PassRole &role)
{
    PassRecipe &recipe = m_recipes[index(role)];
    const std::uint32_t kept = keptBy(recipe);
    if (kept == 0)
        return;
    const auto own = std::ranges::find(kChain, chainKind(role.kind));
    std::array<std::uint32_t, kPassKindCount> keptByKind{};
    for (int kind = 0; kind < kPassKindCount; ++kind)
        if (const PassRecipe *const other = relative(role, static_cast<PassKind>(kind)))
            keptByKind[static_cast<std::size_t>(kind)] = keptBy(*other);
    const auto isTouched = [&keptByKind](PassKind kind, PassValue value) {
        return (keptByKind[static_cast<std::size_t>(kind)] >> static_cast<unsigned>(value) & 1U) != 0;
    };
    for (std::size_t i = 0; i < kKeptValues; ++i) {
        const auto value = static_cast<PassValue>(i);
        if ((kept >> i & 1U) == 0)
            continue;
        bool isFirst = true;
        bool isLast = true;
        bool isShared = false;
        for (auto other = kChain.begin(); other != kChain.end(); ++other) {
            // A whole backward has no W.
            if (other == own || (*other == PassKind::W && role.kind == PassKind::B) || !isTouched(*other, value))
                continue;
            if (computesAnew(other < own ? recipe : *relative(role, *other), value))
                continue; // is not kept between the two
            (other < own ? isFirst : isLast) = false;
            for (const PassStep &each : recipe.steps)
                isShared = isShared || (each.kind == PassStepKind::Receive && std::ranges::count(each.out, value) > 0 &&
                                        receives(*relative(role, *other), each.in.front()));
        }
        if (role.kind == PassKind::W) // B and I are one place of the chain
            isFirst = isFirst && !isTouched(PassKind::I, value);
        const Use use = isShared            ? Use::Shares
                        : isFirst && isLast ? Use::MakesAndFrees
                        : isFirst           ? Use::Makes
                        : isLast            ? Use::Frees
                                            : Use::Reads;
        recipe.uses.push_back({value, use});
    }
}

const RecipeBook &recipeBook(model::VocabularyMethod method, const RecipeChoice &choice)
{
    struct Slot {
        std::once_flag isMade;
        std::optional<RecipeBook> book;
    };
    constexpr std::size_t kKinds = model::kWords<model::VocabularyKind>.size();
    static std::array<std::array<Slot, 2 * 2 * 2 * 2 * kSharings * kKinds>, model::kVocabularyMethods.size()> slots;
    const std::size_t way = static_cast<std::size_t>(choice.kind) * kSharings + static_cast<std::size_t>(choice.sharing);
    const std::size_t flags = (choice.recomputes ? 1U : 0U) + (choice.mapsInput ? 2U : 0U) + (choice.mapsOutput ? 4U : 0U) +
                              (choice.hasTails ? 8U : 0U);
    Slot &slot = slots[static_cast<std::size_t>(method)][16 * way + flags];
    std::call_once(slot.isMade, [&] { slot.book.emplace(method, choice); });
    return *slot.book;
}

std::vector<PassKind> vocabularyPasses(model::VocabularyMethod method)
{
    std::vector<PassKind> kinds;
    for (const PassKind kind : kChain)
        if (isVocabularyPass(kind) && !recipeBook(method).of({.kind = kind}).isEmpty())
            kinds.push_back(kind);
    return kinds;
}

} // namespace stagelens::schedule
