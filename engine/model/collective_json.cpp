#include "engine/model/collective_json.h"

#include "engine/model/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace stagelens::model {
namespace {

using base::Problems;

constexpr std::size_t kMostTables = 512;
constexpr std::size_t kMostPoints = 256;
constexpr int kMostGroup = 1 << 24;
constexpr double kLongestCollective = 1e12;
constexpr double kMostTensor = 1e18;

/// Joins the lists of sizes and times, and checks each pair.
void readPoints(const std::vector<double> &sizes, const std::vector<double> &micros, ObjectReader &reader,
                CollectiveTable &table)
{
    if (sizes.empty() || sizes.size() > kMostPoints)
        return reader.problem("bytes", fmt::format("has {} sizes; give 1 to {}", sizes.size(), kMostPoints));
    if (sizes.size() != micros.size())
        return reader.problem(
            "microseconds", fmt::format("has {} times for {} sizes; give one time for each size", micros.size(), sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double before = i == 0 ? 0 : sizes[i - 1];
        if (!(sizes[i] > before && sizes[i] <= kMostTensor))
            return reader.problem(
                "bytes", fmt::format("has {:g} behind {:g}; give growing sizes from 1 to {:g}", sizes[i], before, kMostTensor));
        if (!(micros[i] > 0 && micros[i] <= kLongestCollective))
            return reader.problem("microseconds",
                                  fmt::format("has {:g}; choose more than 0, up to {:g}", micros[i], kLongestCollective));
        table.points.push_back({sizes[i], micros[i]});
    }
}

CollectiveTable readTable(const Json &json, std::string path, Problems &problems)
{
    ObjectReader reader(json, std::move(path), problems);
    CollectiveTable table;
    std::vector<double> sizes;
    std::vector<double> micros;
    reader.require("operation", table.operation);
    reader.require("ranks", table.ranks);
    reader.read("nodes", table.nodes);
    reader.require("bytes", sizes);
    reader.require("microseconds", micros);
    const std::size_t before = problems.size();
    if (table.ranks < 2 || table.ranks > kMostGroup)
        reader.problem("ranks", fmt::format("is {}; choose 2 to {}", table.ranks, kMostGroup));
    else if (table.nodes < 1 || table.nodes > table.ranks || table.ranks % table.nodes != 0)
        reader.problem("nodes",
                       fmt::format("is {}, which does not divide the {} ranks; each node has equally many, such as nodes 1",
                                   table.nodes, table.ranks));
    if (problems.size() == before && reader.find("bytes") != nullptr && reader.find("microseconds") != nullptr)
        readPoints(sizes, micros, reader, table);
    reader.finish();
    return table;
}

bool isOfSame(const CollectiveTable &one, const CollectiveTable &other)
{
    return one.operation == other.operation && one.ranks == other.ranks && one.nodes == other.nodes;
}

Json tableJson(const CollectiveTable &table)
{
    Json sizes = Json::array();
    Json micros = Json::array();
    for (const CollectivePoint &point : table.points) {
        sizes.push_back(numberJson(point.bytes));
        micros.push_back(numberJson(point.micros));
    }
    return {{"operation", name(table.operation)},
            {"ranks", table.ranks},
            {"nodes", table.nodes},
            {"bytes", std::move(sizes)},
            {"microseconds", std::move(micros)}};
}

} // namespace

Json numberJson(double value)
{
    constexpr double kExact = 9e15;
    return value == std::floor(value) && std::abs(value) < kExact ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json collectivesJson(const std::vector<CollectiveTable> &tables)
{
    Json list = Json::array();
    for (const CollectiveTable &table : tables)
        list.push_back(tableJson(table));
    return list;
}

void readCollectives(ObjectReader &reader, const std::string &path, Hardware &hardware, Problems &problems)
{
    const Json *const member = reader.find("collectives");
    if (member == nullptr)
        return;
    if (!member->is_array() || member->size() > kMostTables)
        return reader.problem("collectives",
                              fmt::format("must be a list of at most {} tables, such as [{{\"operation\": \"all-reduce\", "
                                          "\"ranks\": 8, \"bytes\": [1048576], \"microseconds\": [101.9]}}]",
                                          kMostTables));
    std::vector<CollectiveTable> read;
    for (std::size_t i = 0; i < member->size(); ++i) {
        CollectiveTable table = readTable((*member)[i], fmt::format("{}.collectives[{}]", path, i), problems);
        if (std::ranges::any_of(read, [&](const CollectiveTable &other) { return isOfSame(table, other); }))
            problems.push_back({fmt::format("{}.collectives[{}]", path, i),
                                fmt::format("is a second table of {} among {} ranks on {} nodes; keep one",
                                            name(table.operation), table.ranks, table.nodes)});
        std::erase_if(hardware.collectives, [&](const CollectiveTable &other) { return isOfSame(table, other); });
        read.push_back(std::move(table));
    }
    std::ranges::move(read, std::back_inserter(hardware.collectives));
}

} // namespace stagelens::model
