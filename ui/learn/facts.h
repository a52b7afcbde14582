// The figures of a simulated plan by name, and texts whose placeholders they fill.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/learn/expression.h"

#include <QString>

#include <map>
#include <string>
#include <vector>

namespace stagelens::ui {

/// What a figure counts, and so how it is written.
enum class FactForm : unsigned char { Count, Share, Time, Bytes, Factor, Flops, Rate };
/// "count", "share", "time", "bytes", "factor", "flops", "rate".
[[nodiscard]] std::optional<FactForm> factForm(std::string_view word);

/// Figures of one or two predictions; those of the second have names that begin with `other_`, those of the plan as it was
/// given, before the reader changed it, `start_`.
/// devices microbatches stages layers vocabulary barriers; iteration makespan bound idle (mean of a device), and F B I W S T (a
/// pass of device 0) as times; bubble idle_first idle_last vocabulary_first vocabulary_last as shares; peak peak_first
/// peak_last as bytes; held held_first held_last: microbatches whose activations a device holds at most; tokens (a second).
/// Of up to six trained runs a to f: loss_a (of the last step), mean_a (of all steps), apart_a (the greatest difference of a
/// step's loss from that of run a, as a share of it).
/// Of the part that a step zooms to: part_time (of its passes or operators), part_share (of the iteration), part_flops and
/// part_rate (FLOPs and FLOP/s of a rank).
class Facts {
public:
    void add(const service::Prediction &prediction, const std::string &prefix = {});
    /// Adds the figures of trained runs: the losses of every step of each.
    void addLosses(const std::vector<std::vector<double>> &runs);
    void addPart(base::Nanos time, double flops);
    [[nodiscard]] std::optional<double> value(std::string_view name) const;
    [[nodiscard]] Lookup lookup() const;
    [[nodiscard]] QString written(double value, FactForm form) const;
    /// What a lone name is written as.
    [[nodiscard]] static FactForm formOf(std::string_view name);
    /// Whether a plan can have such a figure.
    [[nodiscard]] static bool isName(std::string_view name);

private:
    std::map<std::string, double, std::less<>> m_values;
    bool m_units = false; ///< times in units of a teaching example
};

/// A text with places for figures: `{bubble}`, or `{other_iteration / iteration|factor}` with the form it is written in.
class FilledText {
public:
    /// InvalidInput, without a field, where a place cannot be read or names no figure.
    [[nodiscard]] static base::Result<FilledText> parse(const QString &text);
    /// A figure that the plan does not have is a dash.
    [[nodiscard]] QString fill(const Facts &facts) const;

private:
    struct Place {
        QString before; ///< the text up to it
        Expression expression;
        FactForm form = FactForm::Count;
    };
    std::vector<Place> m_places;
    QString m_rest;
};

} // namespace stagelens::ui
