// What a table of 100,000 runs costs: opening, typing into its filter, and a page of rows while scrolling.
#include "tests/bench/many_runs.h"

#include <benchmark/benchmark.h>

namespace {

using namespace stagelens;
using bench::manyRuns;

constexpr std::size_t kPage = 128;

void openTable(benchmark::State &state)
{
    const auto &file = manyRuns().file;
    for (auto step : state) {
        auto store = store::RunStore::open(file);
        const auto list = store->read().find({});
        benchmark::DoNotOptimize(store->read().summaries(std::span(list->ids).first(kPage)));
    }
}
BENCHMARK(openTable)->Unit(benchmark::kMillisecond);

void findWords(benchmark::State &state, const store::RunQuery &query)
{
    auto store = store::RunStore::open(manyRuns().file);
    for (auto step : state)
        benchmark::DoNotOptimize(store->read().find(query));
}
BENCHMARK_CAPTURE(findWords, all, store::RunQuery{})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findWords, twoWords, store::RunQuery{{{"vocab-2"}, {"live"}}, store::RunOrder::Newest, false})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findWords, byTokens, store::RunQuery{{}, store::RunOrder::TokensPerSecond, false})
    ->Unit(benchmark::kMillisecond);

void pageOfRows(benchmark::State &state)
{
    auto store = store::RunStore::open(manyRuns().file);
    const auto list = store->read().find({});
    std::size_t page = 0;
    for (auto step : state) {
        const std::size_t first = (page += 37) * kPage % (list->ids.size() - kPage);
        benchmark::DoNotOptimize(store->read().summaries(std::span(list->ids).subspan(first, kPage)));
    }
}
BENCHMARK(pageOfRows)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
