// `export`: pictures (drawn by the window's own code) and files for other programs.
#include "app/cli/export.h"

#include "app/cli/report.h"
#include "app/cli/run_document.h"
#include "app/cli/subject.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/exchange/timeline_json.h"
#include "engine/exchange/torch_csv.h"
#include "engine/exchange/torch_lowering.h"
#include "engine/model/experiment_json.h"
#include "engine/service/engine_service.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stagelens::cli {

namespace {

struct ExportArguments {
    ExperimentArgumentsPtr experiment;
    std::shared_ptr<std::string> database;
    std::optional<int> step; ///< of a run; its median step where none is given
    std::string format;
    std::string comms; ///< of torch-csv: "" (compute_only), "full" or "messages" (compute_comms)
    std::string output;
};

/// An experiment as a file that another process can read; removed with this object.
class TemporaryExperiment {
public:
    static base::Result<std::string> save(const model::Experiment &experiment, TemporaryExperiment &keeper)
    {
        std::error_code error;
        std::string pattern = (std::filesystem::temp_directory_path(error) / "stagelens-XXXXXX").string();
        if (error || mkdtemp(pattern.data()) == nullptr)
            return base::Error::failed(
                base::concat("no temporary folder could be made: ", std::strerror(errno), "; set TMPDIR"));
        keeper.m_folder = pattern;
        const auto file = keeper.m_folder / "plan.stagelens.json";
        if (const auto saved = model::saveExperiment(experiment, file); !saved)
            return saved.error();
        return file.string();
    }
    TemporaryExperiment() = default;
    TemporaryExperiment(const TemporaryExperiment &) = delete;
    TemporaryExperiment &operator=(const TemporaryExperiment &) = delete;
    ~TemporaryExperiment()
    {
        std::error_code ignored;
        if (!m_folder.empty())
            std::filesystem::remove_all(m_folder, ignored);
    }

private:
    std::filesystem::path m_folder;
};

/// Runs a program to its end; its exit status, or the error that kept it from starting.
base::Result<int> spawn(const std::filesystem::path &program, const std::vector<std::string> &words)
{
    std::vector<std::string> copies = words;
    copies.insert(copies.begin(), program.string());
    std::vector<char *> argv;
    for (std::string &word : copies)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    pid_t child = 0;
    if (const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ); error != 0)
        return base::Error::failed(base::concat(program.string(), " could not be started: ", std::strerror(error),
                                                "; pictures need the window's program beside stagelens-cli"));
    int state = 0;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return base::Error::failed(base::concat("waiting for ", program.string(), " failed: ", std::strerror(errno)));
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/// The window draws the picture: `stagelens --export FILE --format F --experiment FILE`, or `--run N --db FILE`.
int exportPicture(const ExportArguments &arguments)
{
    if (arguments.output.empty())
        return fail(base::Error::invalid("--output", "a picture needs a file to go to; add -o FILE"));
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto window = self.parent_path() / "stagelens";
    if (error || !std::filesystem::exists(window, error))
        return fail(base::Error::failed(base::concat("pictures are drawn by the window's program, and there is none at ",
                                                     window.string(),
                                                     "; build it (STAGELENS_UI=ON) or export json, csv or chrome-trace")));
    // Loading the subject here gives the same messages for a bad plan or run as every other format.
    const auto subject = subjectOf(*arguments.experiment, *arguments.database, arguments.step);
    if (!subject)
        return fail(subject.error());
    std::vector<std::string> words{"--export", arguments.output, "--format", arguments.format};
    TemporaryExperiment keeper;
    if (subject->run) {
        words.insert(words.end(), {"--run", std::to_string(subject->run->summary.id)});
        if (!arguments.database->empty())
            words.insert(words.end(), {"--db", *arguments.database});
        if (arguments.step)
            words.insert(words.end(), {"--step", std::to_string(*arguments.step)});
    } else {
        const auto file = TemporaryExperiment::save(subject->experiment, keeper);
        if (!file)
            return fail(file.error());
        words.insert(words.end(), {"--experiment", *file});
    }
    const auto status = spawn(window, words);
    return status ? *status : fail(status.error());
}

base::Result<std::string> torchText(const schedule::Schedule &schedule, const std::string &comms)
{
    using exchange::TorchLowering;
    const auto csv = comms.empty()
                         ? exchange::torchCsvOf(schedule)
                         : exchange::lowered(schedule, comms == "full" ? TorchLowering::Full : TorchLowering::Messages);
    if (!csv)
        return csv.error();
    return exchange::writeTorchCsv(*csv);
}

base::Result<std::string> textOf(const Subject &subject, const ExportArguments &arguments)
{
    const std::string &format = arguments.format;
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    if (format == "torch-csv")
        return torchText(*subject.schedule, arguments.comms);
    if (format == "stagelens")
        return model::toJson(subject.experiment).dump(2, ' ', false, kReplace) + '\n';
    if (format == "json" && subject.run)
        return runDocument(*subject.run, true).dump(2, ' ', false, kReplace) + '\n';
    return service::exportText({subject.experiment, subject.schedule.get(), *subject.timeline, subject.metrics}, format);
}

int exportSubject(const ExportArguments &arguments)
{
    if (!arguments.comms.empty() && arguments.format != "torch-csv")
        return fail(
            base::Error::invalid("--comms", base::concat("adds messages to torch-csv, and the format is ", arguments.format,
                                                         "; leave it out or add --format torch-csv")));
    if (arguments.format == "png" || arguments.format == "svg" || arguments.format == "pdf")
        return exportPicture(arguments);
    const auto subject = subjectOf(*arguments.experiment, *arguments.database, arguments.step);
    if (!subject)
        return fail(subject.error());
    const auto text = textOf(*subject, arguments);
    if (!text)
        return fail(text.error());
    if (arguments.output.empty() || arguments.output == "-") {
        std::cout << *text;
        return kDone;
    }
    if (const auto written = base::writeFile(arguments.output, *text); !written)
        return fail(written.error());
    return kDone;
}

} // namespace

void addExportUnder(CLI::App &command, const std::string &positional, Action &chosen)
{
    CLI::App *inner = command.add_subcommand("export", "write a picture or a file for another program");
    const auto arguments = std::make_shared<ExportArguments>();
    arguments->experiment = addExperimentArguments(*inner, positional);
    arguments->database = addDatabaseOption(*inner);
    inner->add_option("--format", arguments->format, "png, svg, pdf, chrome-trace, torch-csv, csv, json or stagelens")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"png", "svg", "pdf", "chrome-trace", "torch-csv", "csv", "json", "stagelens"}))
        ->default_val("json");
    inner
        ->add_flag(
            "--comms{full}", arguments->comms,
            "torch-csv as compute_comms: what PyTorch's runtime makes of it (full), or sends and receives alone (messages)")
        ->option_text("[=full|messages]")
        ->check(CLI::IsMember({"full", "messages"}));
    inner->add_option("--step", arguments->step, "step of a run, from 0 (default: its median step)")->type_name("N");
    inner->add_option("-o,--output", arguments->output, "file to write (default: standard output)")->type_name("FILE");
    const bool needsRun = positional == "RUN";
    inner->callback([arguments, needsRun, &chosen] {
        chosen = [arguments, needsRun] {
            if (needsRun && !runNumber(arguments->experiment->file))
                return fail(base::Error::invalid("RUN", "is missing or no number; see `stagelens-cli runs list`"));
            return exportSubject(*arguments);
        };
    });
}

void addExport(CLI::App &app, Action &chosen)
{
    addExportUnder(app, "EXPERIMENT|RUN", chosen);
}

} // namespace stagelens::cli
