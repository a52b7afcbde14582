#include "app/cli/usage.h"

#include "engine/base/count.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"
#include "engine/model/json_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace stagelens::cli {

namespace {

constexpr const char *kEmpty = "is empty; give it a value, or leave it out";

/// The command that the person named last, and the words that lead to it.
struct Command {
    const CLI::App *app;
    std::string words;
};

Command lastCommand(const CLI::App &app)
{
    Command command{&app, app.get_name()};
    while (!command.app->get_subcommands().empty()) {
        command.app = command.app->get_subcommands().back();
        command.words += ' ' + command.app->get_name();
    }
    return command;
}

std::vector<std::string> commandsOf(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands([](const CLI::App *each) { return !each->get_group().empty(); }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> optionsOf(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

std::string unknownOption(const std::string &word, const Command &command)
{
    const std::string name = word.substr(0, word.find('='));
    const std::string closest = base::closestWord(name, optionsOf(*command.app));
    const auto answer = [&] {
        if (closest == name)
            return fmt::format("stands too early; write it behind `{}`", command.words);
        return closest.empty() ? fmt::format("is unknown; see `{} --help`", command.words)
                               : fmt::format("is unknown; did you mean {}?", closest);
    };
    return fmt::format("{}: {}\n", model::shown(name), answer());
}

std::string unknownCommand(const std::string &word, const Command &command)
{
    const std::vector<std::string> commands = commandsOf(*command.app);
    const std::string closest = base::closestWord(word, commands);
    return fmt::format("{}: is no command of `{}`; {}\n", model::shown(word), command.words,
                       closest.empty() ? "choose " + base::join(commands, ", ") : fmt::format("did you mean {}?", closest));
}

/// Of the words that no command took.
std::string unknownWords(const CLI::App &app)
{
    const auto isOption = [](const std::string &word) { return word.starts_with('-'); };
    const Command command = lastCommand(app);
    std::vector<std::string> words = app.remaining(true);
    std::erase(words, "--");
    // Behind a command that is unknown, so are its options; and a word behind an unknown option may be its value.
    const auto plain = std::ranges::find_if_not(words, isOption);
    if (plain != words.end() && !commandsOf(*command.app).empty())
        return unknownCommand(*plain, command);
    std::string problems;
    for (const std::string &word : words)
        if (isOption(word))
            problems += unknownOption(word, command);
    if (problems.empty() && plain != words.end())
        return fmt::format("{}: is one word too many; see `{} --help`\n", model::shown(*plain), command.words);
    return problems;
}

} // namespace

std::string usageProblems(const CLI::App &app, const CLI::ParseError &error)
{
    if (std::string unknown = unknownWords(app); !unknown.empty())
        return unknown;
    const Command command = lastCommand(app);
    if (const auto commands = commandsOf(*command.app); !commands.empty() && error.get_name() == "RequiredError")
        return fmt::format("{}: a command is missing; choose {}\n", command.words, base::join(commands, ", "));
    // What one of our checks says needs no more words.
    const bool isComplete = error.get_name() == "ValidationError";
    return base::printable(error.what()) + (isComplete ? "\n" : fmt::format("; see `{} --help`\n", command.words));
}

void refuseBareEquals(const std::vector<std::string> &words)
{
    for (const std::string &word : words)
        if (word.starts_with("--") && word.find('=') == word.size() - 1)
            throw CLI::ValidationError(word.substr(0, word.size() - 1), kEmpty);
}

CLI::Validator notEmpty()
{
    return {[](const std::string &text) { return std::string(text.empty() ? kEmpty : ""); }, ""};
}

CLI::Validator oneOf(std::vector<std::string> words)
{
    return {[words = std::move(words)](const std::string &word) {
                return std::ranges::find(words, word) == words.end() ? model::unknownWord(word, words) : std::string();
            },
            ""};
}

CLI::Validator wholeNumberFrom(int least)
{
    return {[least](std::string &text) {
                constexpr int kGreatest = std::numeric_limits<int>::max();
                const auto value = base::parseCount(text);
                if (!value || *value < least || *value > kGreatest)
                    return fmt::format("is `{}`; choose a whole number from {} to {}", model::shown(text), least, kGreatest);
                text = std::to_string(*value); // what the parser of the options reads
                return std::string();
            },
            ""};
}

} // namespace stagelens::cli
