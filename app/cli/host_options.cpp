#include "app/cli/host_options.h"

#include "app/cli/usage.h"

namespace stagelens::cli {

std::shared_ptr<runtime::HostChoice> addHostOptions(CLI::App &command, const std::string &group)
{
    auto choice = std::make_shared<runtime::HostChoice>();
    command.add_option("--host", choice->host, "on another machine, through ssh with your keys and configuration")
        ->type_name("[USER@]HOST")
        ->check(notEmpty())
        ->group(group);
    command.add_option("--host-program", choice->program, "stagelens-cli there (default: the one in the PATH)")
        ->type_name("FILE")
        ->check(notEmpty())
        ->group(group);
    command.add_flag("--copy-kit", choice->copiesKit, "copy this program there if it is missing or of another build")
        ->group(group);
    return choice;
}

base::Result<> checkHostOptions(const runtime::HostChoice &choice)
{
    if (!choice.host.empty())
        return runtime::checkHost(choice.host);
    if (!choice.program.empty())
        return base::Error::invalid("--host-program", "is a program of another machine; give --host too");
    if (choice.copiesKit)
        return base::Error::invalid("--copy-kit", "copies to another machine; give --host too");
    return {};
}

} // namespace stagelens::cli
