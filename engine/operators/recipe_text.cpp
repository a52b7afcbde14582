#include "engine/operators/recipe.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::operators {
namespace {

class RecipeText {
public:
    explicit RecipeText(const LayerRecipe &recipe) : m_recipe(recipe), m_block(recipe.block) {}

    [[nodiscard]] std::string make()
    {
        m_text = "scratch\n";
        for (std::size_t i = 0; i < m_recipe.scratch.size(); ++i)
            m_text += fmt::format("    scratch{} [b s, {}]\n", i, m_recipe.scratch[i]);
        m_text += "\nsaved\n";
        for (const ValueId value : m_recipe.saved) {
            const Value &each = m_block.value(value);
            m_text += fmt::format("    {} [b s{}, {}]{}\n", each.name,
                                  each.isOwnRows ? fmt::format(" / {}", m_block.tensorRanks) : "", each.width,
                                  each.isStatistics ? " float" : "");
        }
        list("forward", m_recipe.forward);
        list("rebuild", m_recipe.rebuild);
        list("backward", m_recipe.backward);
        list("input gradient", m_recipe.inputGradient);
        list("weight gradient", m_recipe.weightGradient);
        return std::move(m_text);
    }

private:
    void list(std::string_view title, const std::vector<Step> &steps)
    {
        m_text += fmt::format("\n{}\n", title);
        for (const Step &step : steps)
            m_text += "    " + line(step) + "\n";
    }

    [[nodiscard]] std::string line(const Step &step) const
    {
        switch (step.kind) {
        case StepKind::Copy: return fmt::format("{} = copy({})", places(step.out), places(step.in));
        case StepKind::Zero: return places(step.out) + " = zero()";
        case StepKind::Exchange:
            return fmt::format("{} = {}{}({})", places(step.out), name(step.exchange), hop(step), places(step.in));
        case StepKind::Forward:
            if (operatorOf(step).kind == OperatorKind::ReduceScatter || operatorOf(step).kind == OperatorKind::AllReduce)
                return fmt::format("{} += {}{}{}", places(step.out), parameters(step),
                                   step.addend && !parameters(step).empty() ? " + " : "", step.addend ? word(step.addend) : "");
            break;
        case StepKind::InputGradient:
            return fmt::format("{}{}{}{}", places(step.out), step.accumulates ? " += " : " = ", call(step, "-input"),
                               step.between ? fmt::format(" * {}'({})", name(activationOf(step)), word(step.between))
                                            : std::string());
        case StepKind::WeightGradient: return fmt::format("{} += {}", parameters(step), call(step, "-weight"));
        }
        return fmt::format("{} = {}{}{}", places(step.out), call(step, ""), step.between ? " via " + word(step.between) : "",
                           step.addend ? " + " + word(step.addend) : "");
    }

    [[nodiscard]] std::string call(const Step &step, std::string_view half) const
    {
        const Operator &op = operatorOf(step);
        const std::string names = step.kind == StepKind::WeightGradient ? std::string() : parameters(step);
        return fmt::format("{}{}{}({}{}{})", name(op), half, hop(step), places(step.in), names.empty() ? "" : "; ", names);
    }

    /// Returns the hop of a step of a ring.
    [[nodiscard]] static std::string hop(const Step &step)
    {
        const bool isOfRing = step.exchange == Exchange::RingKeys || step.exchange == Exchange::RingGradients;
        return step.hop > 0 || isOfRing ? fmt::format("[{}]", step.hop) : std::string();
    }

    [[nodiscard]] std::string parameters(const Step &step) const
    {
        const Operator &op = operatorOf(step);
        std::vector<int> all = op.parameters;
        for (const Projection &projection : op.projections) {
            all.push_back(projection.weight);
            if (projection.bias >= 0)
                all.push_back(projection.bias);
        }
        std::string text;
        for (const int each : all)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", m_block.parameter(each).name);
        return text;
    }

    [[nodiscard]] std::string places(const std::vector<Place> &all) const
    {
        std::string text;
        for (const Place &place : all)
            text += (text.empty() ? "" : ", ") + word(place);
        return text;
    }

    [[nodiscard]] std::string word(const Place &place) const
    {
        switch (place.kind) {
        case Place::Kind::None: break;
        case Place::Kind::Input: return "in";
        case Place::Kind::Output: return "out";
        case Place::Kind::Gradient: return "gradient";
        case Place::Kind::Saved: return std::string(m_block.value(place.index).name);
        case Place::Kind::Scratch: return fmt::format("scratch{}", place.index);
        case Place::Kind::Keys: return "keys";
        case Place::Kind::KeyGradients: return "key gradients";
        }
        return "none";
    }

    [[nodiscard]] const Operator &operatorOf(const Step &step) const
    {
        return m_block.operators[static_cast<std::size_t>(step.op)];
    }

    [[nodiscard]] const Operator &activationOf(const Step &step) const
    {
        return m_block.operators[static_cast<std::size_t>(step.activation)];
    }

    const LayerRecipe &m_recipe;
    const Block &m_block;
    std::string m_text;
};

} // namespace

std::string text(const LayerRecipe &recipe)
{
    return RecipeText(recipe).make();
}

} // namespace stagelens::operators
