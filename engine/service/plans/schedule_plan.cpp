#include "engine/service/plans/schedule_plan.h"

#include "engine/base/text.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/names.h"
#include "engine/operators/stage_layers.h"
#include "engine/passes/recipe_book.h"
#include "engine/schedule/check/ranks.h"
#include "engine/simulate/offload/offload_plan.h"
#include "engine/simulate/planned_schedule.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace stagelens::service {

namespace {

using exchange::ScheduleFile;
using model::Experiment;
using model::VocabularyMethod;

/// A custom schedule from its file, or from the document itself.
base::Result<ScheduleFile> readCustom(const model::ScheduleChoice &choice, const std::stop_token &stop = {})
{
    if (choice.text.empty())
        return exchange::readScheduleFile(choice.file, stop);
    auto read = exchange::readSchedule(choice.text, stop);
    if (read || read.error().kind == base::ErrorKind::Cancelled)
        return read;
    base::Problems problems = std::move(read).error().problems;
    for (base::Problem &problem : problems)
        problem.field = model::customField(choice);
    return base::Error::invalid(std::move(problems));
}

/// Copies the properties of the file into the plan and collects the contradictions.
class Following {
public:
    Following(Experiment &experiment, const ScheduleFile &file) : m_experiment(experiment), m_file(file) {}
    base::Problems run()
    {
        const schedule::Schedule &schedule = m_file.schedule;
        if (schedule.slices() > 1)
            return {{model::customField(m_experiment.schedule),
                     fmt::format("{} has slices of sequences, which no custom schedule can have; choose the family seq1f1b",
                                 name())}};
        adopt(m_experiment.parallel.devices, schedule.devices(), "parallel.devices");
        adopt(m_experiment.parallel.microbatches, schedule.stepMicrobatches(), "parallel.microbatches");
        if (schedule.iterations() > 1 && m_experiment.schedule.iterations == 1) // 1 is also what is not given
            m_experiment.schedule.iterations = schedule.iterations();
        if (schedule.stages() % schedule.devices() == 0) {
            int chunks = m_experiment.schedule.chunks.value_or(0);
            adopt(chunks, schedule.stages() / schedule.devices(), "schedule.chunks");
            m_experiment.schedule.chunks = chunks;
        } else {
            m_problems.push_back({model::customField(m_experiment.schedule),
                                  fmt::format("{}: {} stages do not divide over {} devices; give each device as many stages",
                                              name(), schedule.stages(), schedule.devices())});
        }
        adoptVocabulary();
        return std::move(m_problems);
    }

private:
    [[nodiscard]] std::string name() const { return model::customName(m_experiment.schedule); }
    void adopt(int &choice, int found, const char *field)
    {
        if (choice == 0)
            choice = found;
        else if (choice != found)
            m_problems.push_back(
                {field, fmt::format("is {}, but {} has {}; give {} or leave it out", choice, name(), found, found)});
    }
    /// A CSV does not name the vocabulary method, and none and redis run the same passes; a text names its method.
    void adoptVocabulary()
    {
        const VocabularyMethod found = m_file.schedule.vocabulary();
        VocabularyMethod &choice = m_experiment.schedule.vocabulary;
        if (m_file.csv && schedule::vocabularyPasses(choice) == schedule::vocabularyPasses(found))
            return;
        if (choice != VocabularyMethod::None && choice != found)
            m_problems.push_back({"schedule.vocabulary", fmt::format("is {}, but {} has the passes of {}; leave it out",
                                                                     model::name(choice), name(), model::name(found))});
        else if (model::traits(found).isChoice)
            choice = found;
    }

    Experiment &m_experiment;
    const ScheduleFile &m_file;
    base::Problems m_problems;
};

/// A custom schedule, the experiment completed by it; nothing where the schedule is a family's.
base::Result<std::optional<ScheduleFile>> follow(Experiment &experiment, const std::stop_token &stop = {})
{
    if (!experiment.schedule.hasOwnOrder())
        return std::optional<ScheduleFile>();
    auto file = readCustom(experiment.schedule, stop);
    if (!file)
        return std::move(file).error();
    if (base::Problems problems = Following(experiment, *file).run(); !problems.empty())
        return base::Error::invalid(std::move(problems));
    return std::optional<ScheduleFile>(*std::move(file));
}

schedule::ValidationOptions validationOf(const ScheduleFile &file, schedule::Sends sends)
{
    schedule::ValidationOptions options{.sends = sends};
    options.place = [&file](int device, std::size_t position) { return file.placeText(device, position); };
    return options;
}

/// An invalid custom schedule is no plan: its faults, under the file's name.
base::Result<schedule::Schedule> soundSchedule(ScheduleFile file, const Experiment &experiment)
{
    constexpr std::size_t kMostShown = 20;
    schedule::ValidationOptions options = validationOf(file, schedule::Sends::Buffered);
    options.limit = kMostShown;
    options.inMicrobatchOrder = false; // PyTorch's breadth-first order is not, and can be predicted; a run refuses it
    if (experiment.schedule.memoryLimit && experiment.hasModel)
        options.activationLimit = simulate::activationLimits(experiment, file.schedule);
    base::Problems problems;
    const std::string &name = experiment.schedule.file; // places in a text need none
    const std::string prefix = name.empty() ? name : name + ": ";
    for (const schedule::Violation &violation : schedule::findViolations(file.schedule, options))
        problems.push_back({model::customField(experiment.schedule),
                            fmt::format("{}{}: {}; {}", prefix, file.placeText(violation.device, violation.position),
                                        violation.cause, violation.remedy)});
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    return std::move(file.schedule);
}

/// The schedule of a resolved experiment whose file, if it has one, is read.
base::Result<schedule::Schedule> scheduleOf(const Experiment &experiment, std::optional<ScheduleFile> file)
{
    if (!file)
        return simulate::plannedSchedule(experiment);
    auto schedule = soundSchedule(*std::move(file), experiment);
    return schedule ? simulate::completed(experiment, *std::move(schedule)) : schedule;
}

} // namespace

base::Result<Experiment> followed(Experiment experiment)
{
    if (const auto file = follow(experiment); !file)
        return file.error();
    return experiment;
}

base::Result<SchedulePlan> planOf(const Experiment &experiment, int cores, const std::stop_token &stop)
{
    Experiment plan = experiment;
    auto file = follow(plan, stop);
    if (!file)
        return std::move(file).error();
    if (base::Problems problems = model::validate(plan); !problems.empty())
        return base::Error::invalid(std::move(problems));
    if (stop.stop_requested())
        return base::Error::cancelled();
    plan = operators::resolved(std::move(plan), cores);
    std::string source = *file ? std::move((*file)->source) : std::string();
    auto schedule = scheduleOf(plan, *std::move(file));
    if (!schedule)
        return std::move(schedule).error();
    if (base::Problems problems = schedule::rankProblems(plan.parallel, *schedule); !problems.empty())
        return base::Error::invalid(std::move(problems));
    return SchedulePlan{std::move(plan), *std::move(schedule), std::move(source)};
}

SchedulePlan trained(SchedulePlan plan)
{
    if (plan.schedule.drainsBetweenSteps()) {
        plan.schedule = plan.schedule.firstStep();
        plan.experiment.schedule.iterations = 1;
    }
    return plan;
}

base::Result<> keepScheduleText(Experiment &experiment, std::string text)
{
    model::ScheduleChoice &schedule = experiment.schedule;
    if (schedule.file.empty())
        return {};
    if (const auto bytes = static_cast<base::Bytes>(text.size()); bytes > kLongestKeptSchedule)
        return base::Error::invalid(
            "schedule.file",
            fmt::format("{} has {}, and a run keeps at most {} of its schedule; lower the number of microbatches",
                        schedule.file, base::bytesText(bytes), base::bytesText(kLongestKeptSchedule)));
    schedule.file.clear();
    schedule.text = model::documentText(std::move(text));
    return {};
}

base::Result<exchange::TorchCsv> torchCsvOf(const Experiment &experiment, const schedule::Schedule &schedule)
{
    if (!experiment.schedule.hasOwnOrder())
        return exchange::torchCsvOf(schedule);
    auto custom = readCustom(experiment.schedule);
    if (!custom)
        return std::move(custom).error();
    return custom->csv ? *std::move(custom->csv) : exchange::torchCsvOf(schedule);
}

base::Result<schedule::Schedule> scheduleOf(const Experiment &experiment)
{
    Experiment plan = experiment;
    auto file = follow(plan);
    if (!file)
        return std::move(file).error();
    return scheduleOf(plan, *std::move(file));
}

base::Result<CheckedSchedule> checkedSchedule(const Experiment &experiment, schedule::Sends sends)
{
    Experiment plan = experiment;
    auto file = follow(plan);
    if (!file)
        return std::move(file).error();
    CheckedSchedule checked;
    checked.isFromFile = file->has_value();
    if (checked.isFromFile) {
        checked.file = **std::move(file);
    } else {
        auto schedule = simulate::orderedSchedule(plan);
        if (!schedule)
            return std::move(schedule).error();
        checked.file.schedule = *std::move(schedule);
    }
    schedule::ValidationOptions options{.sends = sends};
    if (checked.isFromFile)
        options = validationOf(checked.file, sends);
    if (plan.schedule.memoryLimit) {
        if (!plan.hasModel)
            return base::Error::invalid("schedule.memory_limit",
                                        "a limit in bytes needs a model; give one or leave memory_limit out");
        options.activationLimit = simulate::activationLimits(plan, checked.file.schedule);
    }
    checked.violations = schedule::findViolations(checked.file.schedule, options);
    return checked;
}

base::Result<CheckedSchedule> checkedFile(const std::string &file, schedule::Sends sends)
{
    auto read = exchange::readScheduleFile(file);
    if (!read)
        return std::move(read).error();
    CheckedSchedule checked{*std::move(read), true, {}};
    checked.violations = schedule::findViolations(checked.file.schedule, validationOf(checked.file, sends));
    return checked;
}

} // namespace stagelens::service
