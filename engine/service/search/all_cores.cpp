#include "engine/service/search/all_cores.h"

#include "engine/service/machine/environment.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stagelens::service {

void onAllCores(std::size_t count, const std::function<void(std::size_t)> &part)
{
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++)
                part(i);
        } catch (...) {
            next = count;
            const std::scoped_lock lock(mutex);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        const auto threads = std::min(static_cast<std::size_t>(std::max(machineCores(), 1)), count);
        try {
            for (std::size_t i = 1; i < threads; ++i)
                others.emplace_back(work);
        } catch (const std::system_error &) { // the threads that have started, at least this one, do all parts
        }
        work();
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace stagelens::service
