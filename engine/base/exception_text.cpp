#include "engine/base/exception_text.h"

#include <new>
#include <system_error>

namespace stagelens::base {
namespace {

bool isLackOfMemory(const std::exception &exception)
{
    const auto *system = dynamic_cast<const std::system_error *>(&exception);
    return dynamic_cast<const std::bad_alloc *>(&exception) != nullptr ||
           (system != nullptr && system->code() == std::errc::not_enough_memory);
}

/// What std::thread throws if the system refuses one; it does so for lack of memory as well.
bool isLackOfThreads(const std::exception &exception)
{
    const auto *system = dynamic_cast<const std::system_error *>(&exception);
    return system != nullptr && system->code() == std::errc::resource_unavailable_try_again;
}

} // namespace

std::string exceptionText(const std::exception &exception)
{
    if (isLackOfMemory(exception))
        return "out of memory; end other programs, raise the limit (`ulimit -v`) or use a smaller plan";
    if (isLackOfThreads(exception))
        return "the system refuses another thread; end other programs or raise the limits (`ulimit -u`, `ulimit -v`)";
    return exception.what();
}

bool isLackOfResources(const std::exception &exception)
{
    return isLackOfMemory(exception) || isLackOfThreads(exception);
}

} // namespace stagelens::base
