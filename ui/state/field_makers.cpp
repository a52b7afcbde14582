#include "ui/state/field_makers.h"

#include "ui/words/words.h"

namespace stagelens::ui {

using model::Experiment;

bool hasModel(const Experiment &experiment)
{
    return experiment.hasModel;
}

Field integer(const QString &id, const QString &caption, const QString &option, const QString &tip,
              std::function<int &(Experiment &)> access)
{
    Field made{id, caption, option, tip, Field::Kind::Integer, {}, {}};
    made.value = [access](const Experiment &experiment) {
        Experiment copy = experiment;
        return QVariant(access(copy));
    };
    made.setValue = [access](Experiment &experiment, const QVariant &value) { access(experiment) = value.toInt(); };
    return made;
}

Field real(const QString &id, const QString &caption, const QString &option, const QString &tip,
           std::function<double(const Experiment &)> get, std::function<void(Experiment &, double)> set)
{
    Field made{id, caption, option, tip, Field::Kind::Real, {}, {}};
    made.value = [get](const Experiment &experiment) { return QVariant(get(experiment)); };
    made.setValue = [set](Experiment &experiment, const QVariant &value) { set(experiment, value.toDouble()); };
    return made;
}

Field choice(const QString &id, const QString &caption, const QString &option, const QString &tip, std::vector<Choice> choices,
             std::function<QString(const Experiment &)> get, std::function<void(Experiment &, const std::string &)> set)
{
    Field made{id, caption, option, tip, Field::Kind::Choice, {}, {}, std::move(choices)};
    made.value = [get](const Experiment &experiment) { return QVariant(get(experiment)); };
    made.setValue = [set](Experiment &experiment, const QVariant &value) { set(experiment, utf8(value.toString())); };
    return made;
}

} // namespace stagelens::ui
