#include "engine/runtime/remote/kit.h"

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/runtime/remote/host.h"
#include "engine/runtime/worker/worker_process.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace stagelens::runtime {
namespace {

constexpr base::Bytes kLargestFile = base::Bytes{4} << 30;

std::filesystem::path kitFolder()
{
    if (const char *given = std::getenv("STAGELENS_KIT"); given != nullptr) // NOLINT(concurrency-mt-unsafe): nothing sets it
        return given;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

/// Adds the files of a folder, sorted, that end in `ending`.
void addFiles(std::vector<KitFile> &files, const std::filesystem::path &folder, const std::string &to, std::string_view ending)
{
    std::vector<KitFile> found;
    std::error_code error;
    for (std::filesystem::directory_iterator each(folder, error); !error && each != std::filesystem::directory_iterator();
         each.increment(error))
        if (const std::string name = each->path().filename().string(); name.ends_with(ending) && each->is_regular_file(error))
            found.push_back({each->path(), to + name});
    std::ranges::sort(found, {}, &KitFile::to);
    files.insert(files.end(), found.begin(), found.end());
}

/// Runs a script there with `input`. Fails with the error output of ssh or the script.
base::Result<> runThere(const std::string &host, std::string_view script, const std::vector<std::string> &parameters,
                        std::string_view input, const std::stop_token &stop)
{
    WorkerProcess process;
    if (const auto started = process.start(sshCommand(host, script, parameters), WorkerProcess::Errors::Kept); !started)
        return base::Error::failed("cannot start ssh: " + started.error().text());
    int status = 0;
    {
        const std::stop_callback cancel(stop, [&process] { process.kill(); });
        while (!input.empty()) {
            const ssize_t sent = ::send(process.socket(), input.data(), input.size(), MSG_NOSIGNAL);
            if (sent <= 0 && errno != EINTR)
                break;
            input.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        }
        process.askToStop();
        char ignored = 0;
        while (::recv(process.socket(), &ignored, 1, 0) > 0) {
        }
    }
    status = process.wait();
    if (stop.stop_requested())
        return base::Error::cancelled();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    return base::Error::failed(
        fmt::format("the program could not be copied to {}: ssh {}: {}; check the space in ~/.cache there", host,
                    howItEnded(status), lastLine(process.keptErrors())));
}

} // namespace

base::Result<std::vector<KitFile>> kitFiles()
{
    const std::filesystem::path folder = kitFolder();
    std::vector<KitFile> files{{folder / "stagelens-cli", "bin/stagelens-cli"}};
    std::error_code error;
    if (!std::filesystem::is_regular_file(files.front().from, error))
        return base::Error::failed(fmt::format(
            "there is no stagelens-cli to copy in {}; let STAGELENS_KIT name a build of the preset gpu-kit", folder.string()));
    for (const std::filesystem::path &plugin :
         {folder / "libstagelens-cuda.so", folder / "../lib/stagelens/libstagelens-cuda.so"})
        if (std::filesystem::is_regular_file(plugin, error)) {
            files.push_back({plugin, "bin/libstagelens-cuda.so"});
            break;
        }
    addFiles(files, folder / "lib", "bin/lib/", ""); // where the programs of the kit search the libraries of the compiler
    addFiles(files, base::resourceFolder() / "hardware", "share/stagelens/hardware/", ".json");
    return files;
}

base::Result<std::string> copyKit(const std::string &host, const std::stop_token &stop)
{
    const auto files = kitFiles();
    if (!files)
        return files.error();
    base::Xxh64 hash;
    std::vector<std::string> contents;
    for (const KitFile &file : *files) {
        auto content = base::readFile(file.from, kLargestFile);
        if (!content)
            return content.error();
        hash.add(file.to);
        hash.add(*content);
        contents.push_back(*std::move(content));
    }
    const std::string kit = ".cache/stagelens/kit-" + hash.text();
    const std::string program = fmt::format("~/{}/bin/stagelens-cli", kit);
    if (runThere(host, R"sh(test -x "$HOME/$1/bin/stagelens-cli")sh", {kit}, {}, stop))
        return program;
    for (std::size_t i = 0; i < files->size() && !stop.stop_requested(); ++i) {
        const std::string &to = (*files)[i].to;
        // Counts the bytes, because a lost connection looks like the end of the file.
        constexpr std::string_view kWrite =
            R"sh(set -e; umask 077; f=$HOME/$1.part/$2; mkdir -p "${f%/*}"; cat >"$f"; test "$(wc -c <"$f")" -eq "$3"; chmod u+x "$f")sh";
        if (const auto written = runThere(host, kWrite, {kit, to, std::to_string(contents[i].size())}, contents[i], stop);
            !written)
            return written.error();
    }
    constexpr std::string_view kKeep = R"sh(set -e; cd "$HOME"; rm -rf "$1"; mv "$1.part" "$1")sh";
    if (const auto kept = runThere(host, kKeep, {kit}, {}, stop); !kept)
        return kept.error();
    return program;
}

} // namespace stagelens::runtime
