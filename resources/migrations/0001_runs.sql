-- The run table and all that hangs on a run. Times are integer nanoseconds unless the name says otherwise.

CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: a lock bears it
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'cancelled', 'interrupted')),
    reason TEXT NOT NULL DEFAULT '',
    started_unix_ms INTEGER NOT NULL,
    ended_unix_ms INTEGER,
    kind TEXT NOT NULL,
    family TEXT NOT NULL,
    vocabulary TEXT NOT NULL,
    devices INTEGER NOT NULL,
    microbatches INTEGER NOT NULL,
    steps_planned INTEGER NOT NULL,
    experiment TEXT NOT NULL, -- JSON, "stagelens": "experiment/1"
    -- Figures of the steps so far; renewed from table step when a timeline is stored and when the run ends.
    steps_done INTEGER NOT NULL DEFAULT 0,
    first_loss REAL,
    last_loss REAL,
    iteration_ns INTEGER,
    -- The process that writes the run.
    boot_id TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_start INTEGER NOT NULL
) STRICT;

CREATE INDEX run_status ON run (status);

CREATE TABLE step (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    step INTEGER NOT NULL CHECK (step >= 0),
    loss REAL, -- null: not a number
    iteration_ns INTEGER NOT NULL,
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

-- Metrics of the median step: what runs are sorted by, and all of them as JSON.
CREATE TABLE metrics (
    run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    makespan_ns INTEGER NOT NULL,
    bubble_ratio REAL,
    tokens_per_second REAL,
    mfu REAL,
    peak_memory_bytes INTEGER, -- greatest over the devices
    detail TEXT NOT NULL
) STRICT;

-- Timeline of the median step; the format is engine/store/timeline_blob.h.
CREATE TABLE timeline (
    run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    data BLOB NOT NULL
) STRICT;

CREATE TABLE environment (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    tag TEXT NOT NULL CHECK (tag <> ''),
    PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
