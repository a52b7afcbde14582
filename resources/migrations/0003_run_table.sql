-- What the table of runs shows, filters and sorts by without reading a run's plan: 100,000 rows open in a moment.

ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN vocabulary_size INTEGER; -- null: unknown
UPDATE run SET vocabulary_size =
    CASE WHEN json_valid(experiment) THEN json_extract(experiment, '$.model.vocabulary_size') END;

-- All that a word of the filter is looked for in, tags apart; the index holds it ready.
ALTER TABLE run ADD COLUMN words TEXT GENERATED ALWAYS AS (
    lower(name || ' ' || family || ' ' || vocabulary || ' ' || status || ' ' || kind || ' ' || devices || 'x' || microbatches
          || ' V' || coalesce(vocabulary_size, '') || ' ' || note)) VIRTUAL;

CREATE INDEX run_words ON run (words);
CREATE INDEX metrics_figures ON metrics (run, tokens_per_second, bubble_ratio, peak_memory_bytes);
