-- How long the operators inside the passes of a run took.

CREATE TABLE operator_time (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    device INTEGER NOT NULL,
    kind TEXT NOT NULL, -- of the passes: "F", "B", ...
    stage INTEGER NOT NULL,
    place INTEGER NOT NULL, -- in the order in which the operators run
    name TEXT NOT NULL,
    duration_ns INTEGER NOT NULL, -- median over the passes and steps
    is_vocabulary INTEGER NOT NULL,
    PRIMARY KEY (run, device, kind, stage, place)
) STRICT, WITHOUT ROWID;
