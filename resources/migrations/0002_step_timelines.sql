-- Timelines of single steps, so that any of them can be looked at; a long run keeps those of its first steps.

CREATE TABLE step_timeline (
    run INTEGER NOT NULL,
    step INTEGER NOT NULL,
    detail TEXT NOT NULL, -- metrics of the step, as metrics.detail
    data BLOB NOT NULL, -- as timeline.data
    PRIMARY KEY (run, step),
    FOREIGN KEY (run, step) REFERENCES step (run, step) ON DELETE CASCADE
) STRICT;
