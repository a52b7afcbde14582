-- Which database this is, wherever its file is moved: the folders of its checkpoints bear the same id.

CREATE TABLE identity (id TEXT NOT NULL) STRICT; -- one row
INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));
