#include "engine/exchange/schedule_file.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/schedule/text_form.h"

#include <fmt/format.h>
#include <utility>

namespace stagelens::exchange {

namespace {

constexpr base::Bytes kLargestFile = base::Bytes{256} << 20;

/// A CSV begins with a stage's number, a container or an idle cell; text with a word or a remark.
bool isCsv(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && std::string_view("0123456789-+(,\"").find(text[first]) != std::string_view::npos;
}

base::Result<ScheduleFile> readCsv(std::string_view text, const std::stop_token &stop)
{
    auto csv = readTorchCsv(text, stop);
    if (!csv)
        return csv.error();
    auto schedule = scheduleOf(*csv);
    if (!schedule)
        return schedule.error();
    return ScheduleFile{*std::move(schedule), *std::move(csv), {}, {}};
}

} // namespace

TorchCell ScheduleFile::placeOf(int device, std::size_t position) const
{
    if (csv)
        return cellOf(*csv, device, position);
    // The first word of a device's line is its number.
    return {static_cast<std::size_t>(deviceLines[static_cast<std::size_t>(device)]), position + 2};
}

std::string ScheduleFile::placeText(int device, std::size_t position) const
{
    const TorchCell place = placeOf(device, position);
    return csv ? text(place) : fmt::format("line {}, word {}", place.row, place.column);
}

base::Result<ScheduleFile> readSchedule(std::string_view text, const std::stop_token &stop)
{
    text = base::withoutByteOrderMark(text);
    if (isCsv(text))
        return readCsv(text, stop);
    ScheduleFile file;
    auto schedule = schedule::scheduleFromText(text, &file.deviceLines, stop);
    if (!schedule)
        return schedule.error();
    file.schedule = *std::move(schedule);
    return file;
}

base::Result<ScheduleFile> readScheduleFile(const std::filesystem::path &file, const std::stop_token &stop)
{
    auto content = base::readFile(file, kLargestFile);
    auto read = content ? readSchedule(*content, stop) : base::Result<ScheduleFile>(content.error());
    if (read) {
        read->source = *std::move(content);
        return read;
    }
    if (read.error().kind == base::ErrorKind::Cancelled)
        return read;
    base::Problems problems = std::move(read).error().problems;
    for (base::Problem &problem : problems)
        problem = {"schedule.file", fmt::format("{}: {}", file.string(), problem.message)};
    return base::Error::invalid(std::move(problems));
}

} // namespace stagelens::exchange
