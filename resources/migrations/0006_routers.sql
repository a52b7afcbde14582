-- What the routers of a mixture of experts chose in each step.

CREATE TABLE router (
    run INTEGER NOT NULL,
    step INTEGER NOT NULL,
    layer INTEGER NOT NULL CHECK (layer >= 0), -- of the model; layers without experts have no row
    choices TEXT NOT NULL, -- rows of each expert in decimal, separated by spaces, dropped or not
    dropped INTEGER NOT NULL,
    entropy REAL, -- sum over the tokens, in nats
    tokens INTEGER NOT NULL,
    PRIMARY KEY (run, step, layer),
    FOREIGN KEY (run, step) REFERENCES step (run, step) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
