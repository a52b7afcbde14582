#include "ui/state/store_watch.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace stagelens::ui {

namespace {

constexpr std::chrono::milliseconds kPeriod{500};

struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type written;
    friend bool operator==(const Stamp &, const Stamp &) = default;
};
using Stamps = std::array<std::optional<Stamp>, 2>;

/// Absent for a file that is not there.
std::optional<Stamp> stampOf(const std::filesystem::path &file)
{
    std::error_code error;
    const Stamp stamp{std::filesystem::file_size(file, error), std::filesystem::last_write_time(file, error)};
    return error ? std::nullopt : std::optional(stamp);
}

Stamps stampsOf(const std::filesystem::path &file)
{
    std::error_code error;
    const std::filesystem::path place = std::filesystem::weakly_canonical(file, error); // where SQLite puts the log of a link
    return {stampOf(place), stampOf(place.string() + "-wal")};
}

} // namespace

StoreWatch::StoreWatch(std::filesystem::path file, QObject *parent)
    : QObject(parent), m_thread([this, file = std::move(file), before = stampsOf(file)](const std::stop_token &stop) mutable {
          std::mutex mutex;
          std::condition_variable_any asleep;
          std::unique_lock lock(mutex);
          while (!asleep.wait_for(lock, stop, kPeriod, [] { return false; }) && !stop.stop_requested())
              if (const Stamps now = stampsOf(file); std::exchange(before, now) != now)
                  QMetaObject::invokeMethod(this, &StoreWatch::changed, Qt::QueuedConnection);
      })
{}

} // namespace stagelens::ui
