-- Runs that go on from another run's checkpoint, and losses on tokens held back from training.

ALTER TABLE run ADD COLUMN resumed_run INTEGER; -- it may have been deleted since
ALTER TABLE run ADD COLUMN evaluation_loss REAL; -- the last one of table evaluation

-- Losses of the steps before the checkpoint, which another run did; table step goes on from them.
CREATE TABLE earlier_loss (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    step INTEGER NOT NULL CHECK (step >= 0),
    loss REAL,
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    steps INTEGER NOT NULL, -- done before it
    loss REAL,
    PRIMARY KEY (run, steps)
) STRICT, WITHOUT ROWID;
