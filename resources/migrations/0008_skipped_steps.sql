-- Steps of a run that left the parameters as they were, because a gradient in fp16 was infinite or not a number.

CREATE TABLE skipped_step (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    step INTEGER NOT NULL CHECK (step >= 0), -- of table step or earlier_loss
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;
