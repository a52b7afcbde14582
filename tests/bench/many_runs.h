// A database of 100,000 runs, for the benchmarks of their table.
#pragma once

#include "engine/model/experiment_json.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

namespace stagelens::bench {

inline constexpr int kRuns = 100'000;

/// A database with that many runs, made once and removed at the end.
class ManyRuns {
public:
    ManyRuns()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "stagelens-bench-XXXXXX").string();
        m_folder = mkdtemp(pattern.data());
        file = m_folder / "runs.db";
        model::Experiment experiment;
        (void)store::RunStore::open(file); // the schema
        auto database = store::Database::open(file);
        const std::string plan = model::toJson(experiment).dump();
        const auto filled = database->execute(
            "BEGIN;"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
            std::to_string(kRuns) +
            ") INSERT INTO run (name, status, started_unix_ms, kind, family, vocabulary, devices, microbatches, steps_planned,"
            " experiment, steps_done, first_loss, last_loss, iteration_ns, boot_id, pid, process_start, vocabulary_size)"
            " SELECT '', 'finished', 1700000000000 + i, 'measured-live', '1f1b', CASE i % 3 WHEN 0 THEN 'vocab-2' ELSE 'none'"
            " END, 4, 16, 50, '" +
            plan +
            "', 50, 9.0, 5.0, 1000000 + i, 'b', 1, 1, 8192 FROM n;"
            "INSERT INTO metrics (run, makespan_ns, bubble_ratio, tokens_per_second, mfu, peak_memory_bytes, detail)"
            " SELECT id, 1000000, 0.3, 1000.0 + id % 977, 0.1, 1000000, '{}' FROM run;"
            "COMMIT;");
        if (!filled)
            std::cerr << filled.error().text() << '\n';
    }
    ~ManyRuns() { std::filesystem::remove_all(m_folder); }
    std::filesystem::path file;

private:
    std::filesystem::path m_folder;
};

/// Made at the first call.
inline const ManyRuns &manyRuns()
{
    static const ManyRuns runs;
    return runs;
}

} // namespace stagelens::bench
