// `export`: pictures (drawn by the window's own code) and files for other programs.
#include "app/cli/commands/export.h"

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/report.h"
#include "app/cli/run_document.h"
#include "app/cli/subject.h"
#include "app/cli/usage.h"
#include "engine/base/file.h"
#include "engine/base/printable.h"
#include "engine/base/temporary_folder.h"
#include "engine/base/text.h"
#include "engine/exchange/timeline_json.h"
#include "engine/exchange/torch_csv.h"
#include "engine/exchange/torch_lowering.h"
#include "engine/model/experiment_json.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/launch.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/predictions/export_text.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace stagelens::cli {

namespace {

constexpr std::string_view kBareFlag = "true"; ///< the value that CLI11 gives a flag without one
constexpr std::string_view kEarlyTorch = "2.14";
constexpr base::Bytes kLargestPicture = base::Bytes{1} << 30;

struct ExportArguments {
    ExperimentArgumentsPtr experiment; ///< of `export`; its file may be a run's number
    std::string run;                   ///< of `runs export`: a run's number or name
    std::shared_ptr<std::string> database;
    std::optional<int> step; ///< of a run; its typical step where none is given
    std::string format = "json";
    std::string comms;        ///< of torch-csv: "" (compute_only); kBareFlag, "full", "messages" or "replicas"
    std::string torchVersion; ///< of `comms`: "2.14", "2.15" or "" for the newest
    std::string output;
    std::string from; ///< file of the plan from which an animation leads to the experiment
};

/// Runs a program to its end, which an interrupt brings about; its exit status, or the error that kept it from starting.
base::Result<int> spawn(const std::filesystem::path &program, const std::vector<std::string> &words,
                        const InterruptScope &interrupt)
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
        return base::Error::failed(
            fmt::format("{} could not be started: {}; pictures need the window's program beside stagelens-cli",
                        program.string(), std::strerror(error)));
    {
        // Until it is waited for, its number is no other process's.
        const std::stop_callback end(interrupt.token(), [child] { kill(child, SIGTERM); });
        // Looked at again and again, for a signal need not end a wait for a process.
        siginfo_t ended{};
        while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 && ended.si_pid == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    int state = 0;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return base::Error::failed(fmt::format("waiting for {} failed: {}", program.string(), std::strerror(errno)));
    }
    if (interrupt.requested())
        return base::Error::cancelled();
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/// The program that draws pictures.
base::Result<std::filesystem::path> windowProgram()
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto window = self.parent_path() / "stagelens";
    if (error || !std::filesystem::exists(window, error))
        return base::Error::failed(fmt::format("pictures are drawn by the window's program, and there is none at {}; build it "
                                               "(STAGELENS_UI=ON) or export json, csv or chrome-trace",
                                               window.string()));
    return window;
}

base::Result<Subject> subjectOf(const ExportArguments &arguments)
{
    if (arguments.run.empty())
        return subjectOf(*arguments.experiment, *arguments.database, arguments.step);
    if (const auto exists = requireDatabase(*arguments.database); !exists)
        return exists.error();
    const auto run = service::StoredRuns(*arguments.database).numberOf(arguments.run);
    if (!run)
        return run.error();
    return runSubject(*run, *arguments.database, arguments.step);
}

/// The window draws the picture: `stagelens --export FILE --format F --experiment FILE`, or `--run N --db FILE`.
int exportPicture(const ExportArguments &arguments)
{
    if (arguments.output.empty())
        return fail(
            base::Error::invalid("--output", "a picture needs a file to go to; add -o FILE, or -o - for standard output"));
    const auto window = windowProgram();
    if (!window)
        return fail(window.error());
    if (!arguments.from.empty())
        if (const auto readable = model::loadExperiment(arguments.from); !readable)
            return fail(readable.error());
    // Loading the subject here gives the same messages for a bad plan or run as every other format.
    const auto subject = subjectOf(arguments);
    if (!subject)
        return fail(subject.error());
    const InterruptScope interrupt;
    const auto folder = base::TemporaryFolder::make(); // for files that the window reads or writes
    if (!folder)
        return fail(folder.error());
    const bool isPrinted = arguments.output == "-";
    const std::string picture = isPrinted ? (folder->path() / "picture").string() : arguments.output;
    std::vector<std::string> words{"--export", picture, "--format", arguments.format};
    if (subject->run) {
        words.insert(words.end(), {"--run", std::to_string(subject->run->summary.id)});
        if (!arguments.database->empty())
            words.insert(words.end(), {"--db", *arguments.database});
        if (arguments.step)
            words.insert(words.end(), {"--step", std::to_string(*arguments.step)});
    } else {
        const std::string plan = (folder->path() / "plan.stagelens.json").string();
        if (const auto saved = model::saveExperiment(subject->experiment, plan); !saved)
            return fail(saved.error());
        words.insert(words.end(), {"--experiment", plan});
        if (!arguments.from.empty())
            words.insert(words.end(), {"--from", arguments.from});
    }
    const auto status = spawn(*window, words, interrupt);
    if (!status || *status != kDone || !isPrinted)
        return status ? *status : fail(status.error());
    const auto drawn = base::readFile(picture, kLargestPicture);
    if (!drawn)
        return fail(drawn.error());
    std::cout << *drawn;
    return kDone;
}

base::Result<std::string> torchText(const Subject &subject, const ExportArguments &arguments)
{
    using exchange::TorchLowering;
    const bool isEarly = arguments.torchVersion == kEarlyTorch;
    const auto csv = arguments.comms.empty()
                         ? service::torchCsvOf(subject.experiment, *subject.schedule)
                         : exchange::lowered(*subject.schedule,
                                             arguments.comms == "messages"   ? TorchLowering::Messages
                                             : arguments.comms == "replicas" ? TorchLowering::Replicas
                                                                             : TorchLowering::Full,
                                             isEarly ? exchange::TorchRelease::UpTo2_14 : exchange::TorchRelease::Since2_15);
    if (!csv)
        return csv.error();
    if (const std::string omission = exchange::torchOmission(*subject.schedule); !omission.empty())
        std::cerr << "warning: " << base::printable(omission) << '\n';
    if (!arguments.comms.empty())
        std::cerr << (isEarly ? "compute_comms for PyTorch 2.14 and earlier\n"
                              : "compute_comms for PyTorch 2.15 and later; --torch-version 2.14 writes it for earlier ones\n");
    return exchange::writeTorchCsv(*csv);
}

base::Result<std::string> textOf(const Subject &subject, const ExportArguments &arguments)
{
    const std::string &format = arguments.format;
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    if (format == "torch-csv")
        return torchText(subject, arguments);
    if (format == "stagelens")
        return model::toJson(subject.experiment).dump(2, ' ', false, kReplace) + '\n';
    if (format == "json" && subject.run)
        return runDocument(*subject.run, true).dump(2, ' ', false, kReplace) + '\n';
    return service::exportText({subject.experiment, subject.schedule.get(), *subject.timeline, subject.metrics}, format);
}

/// Writes what starts the plan in another framework, and says what it leaves out.
int exportLaunch(const Subject &subject, const ExportArguments &arguments)
{
    const bool isPrinted = arguments.output.empty() || arguments.output == "-";
    const auto launch = isPrinted
                            ? service::launchText(subject.experiment, *subject.schedule, arguments.format, "schedule.csv")
                            : service::writeLaunch(subject.experiment, *subject.schedule, arguments.format, arguments.output);
    if (!launch)
        return fail(launch.error());
    if (isPrinted)
        std::cout << (::isatty(STDOUT_FILENO) != 0 ? base::printableJson(launch->text) : launch->text);
    std::cerr << "names of arguments as in " << launch->version << '\n';
    if (!launch->scheduleCsv.empty())
        std::cerr << "the schedule is a file beside it: "
                  << (isPrinted ? "write it with --format torch-csv -o schedule.csv"
                                : base::printable(std::filesystem::path(arguments.output).replace_extension(".csv").string()))
                  << '\n';
    for (const std::string &omitted : launch->omitted)
        std::cerr << "not carried over: " << base::printable(omitted) << '\n';
    return kDone;
}

int exportSubject(const ExportArguments &arguments)
{
    if (!arguments.comms.empty() && arguments.format != "torch-csv")
        return fail(base::Error::invalid(
            "--comms", fmt::format("adds messages to torch-csv, and the format is {}; leave it out or add --format torch-csv",
                                   arguments.format)));
    if (!arguments.torchVersion.empty() && arguments.comms.empty())
        return fail(base::Error::invalid("--torch-version",
                                         "chooses between the messages of two PyTorch versions, and files without messages are "
                                         "the same for all; add --comms or leave it out"));
    if (arguments.comms == kBareFlag && arguments.experiment &&
        (arguments.experiment->file == "full" || arguments.experiment->file == "messages" ||
         arguments.experiment->file == "replicas"))
        return fail(base::Error::invalid(
            "--comms", fmt::format("takes its value behind `=`; write --comms={}", arguments.experiment->file)));
    if (const auto allowed = requireOutput(arguments.output, *arguments.database); !allowed)
        return fail(allowed.error());
    const bool moves = arguments.format == "gif" || arguments.format == "mp4";
    const bool mayMove = moves || arguments.format == "svg" || arguments.format == "png";
    if (arguments.from.empty() ? moves : !mayMove)
        return fail(base::Error::invalid(
            "--from", moves ? fmt::format("{} is an animation; name the plan that it begins with", arguments.format)
                            : fmt::format("makes an animation, and the format is {}; add --format gif, mp4, svg or png",
                                          arguments.format)));
    if (!arguments.from.empty() && arguments.format == "png" && arguments.output == "-")
        return fail(base::Error::invalid("--output", "the frames of an animation need a folder; name it instead of -"));
    if (moves || arguments.format == "png" || arguments.format == "svg" || arguments.format == "pdf")
        return exportPicture(arguments);
    const auto subject = subjectOf(arguments);
    if (!subject)
        return fail(subject.error());
    if (service::isLaunchFormat(arguments.format))
        return exportLaunch(*subject, arguments);
    const bool isPrinted = arguments.output.empty() || arguments.output == "-";
    if (arguments.format == "stagelens" && !isPrinted) {
        const auto saved = model::saveExperiment(subject->experiment, arguments.output);
        return saved ? kDone : fail(saved.error());
    }
    const auto text = textOf(*subject, arguments);
    if (!text)
        return fail(text.error());
    if (isPrinted) {
        // A terminal obeys letters that a file merely keeps. In JSON their escapes mean the same; the other formats have none.
        std::cout << (::isatty(STDOUT_FILENO) != 0 ? base::printableJson(*text) : *text);
        return kDone;
    }
    if (const auto written = base::writeFile(arguments.output, *text); !written)
        return fail(written.error());
    return kDone;
}

} // namespace

void addExportUnder(CLI::App &command, const std::string &positional, Action &chosen)
{
    std::vector<std::string> formats{"png",          "svg",       "pdf", "gif",  "mp4",
                                     "chrome-trace", "torch-csv", "csv", "json", "stagelens"};
    for (const service::LaunchFormat &format : service::launchFormats())
        formats.emplace_back(format.format);
    CLI::App *inner = command.add_subcommand("export", "write a picture or a file for another program");
    const auto arguments = std::make_shared<ExportArguments>();
    if (positional == "RUN")
        inner->add_option("RUN", arguments->run, "number or name of a stored run")->required()->check(notEmpty());
    else
        arguments->experiment = addExperimentArguments(
            *inner, positional, "number of a stored run, or an experiment file (- for standard input); options win over it");
    arguments->database = addDatabaseOption(*inner);
    inner->add_option("--format", arguments->format, base::join(formats, ", ") + " (default: json)")
        ->type_name("FORMAT")
        ->check(oneOf(formats));
    inner
        ->add_flag("--comms", arguments->comms,
                   "torch-csv as compute_comms: what PyTorch's runtime makes of it (full), sends and receives alone "
                   "(messages), or with REDUCE_GRAD (replicas)")
        ->option_text("or --comms=full, --comms=messages, --comms=replicas")
        ->check([](const std::string &word) {
            return word == kBareFlag ? std::string() : oneOf({"full", "messages", "replicas"})(word);
        });
    inner
        ->add_option("--torch-version", arguments->torchVersion,
                     "whose compute_comms --comms writes: PyTorch up to 2.14, or since 2.15 (the default)")
        ->option_text("2.14|2.15")
        ->check(oneOf({std::string(kEarlyTorch), "2.15"}));
    if (positional != "RUN")
        inner
            ->add_option(
                "--from", arguments->from,
                "makes svg, gif or mp4 an animation, in which the passes of this plan fly to their places in the other; png "
                "a folder of its frames")
            ->type_name("FILE")
            ->check(notEmpty());
    inner->add_option("--step", arguments->step, "step of a run, from 0 (default: its typical step)")
        ->type_name("N")
        ->transform(wholeNumberFrom(0));
    inner->add_option("-o,--output", arguments->output, "file to write (default: standard output)")
        ->type_name("FILE")
        ->check(notEmpty());
    inner->callback([arguments, &chosen] { chosen = [arguments] { return exportSubject(*arguments); }; });
}

void addExport(CLI::App &app, Action &chosen)
{
    addExportUnder(app, "EXPERIMENT|RUN", chosen);
}

} // namespace stagelens::cli
