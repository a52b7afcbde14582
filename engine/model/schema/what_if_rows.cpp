#include "engine/model/schema/row.h"

namespace stagelens::model {

std::vector<Field> whatIfRows()
{
    using Kind = Field::Kind;
    return {
        row("what_if.slow", "--slow", "3=1.5,...", "Slow devices",
            "what takes longer, and how many times: DEVICE=F, rank=R:F, node=N:F, replica=K:F", MEMBER(whatIf.slow), omitted()),
        row("what_if.slow_link", "--slow-link", "A-B=F", "Slow links",
            "messages between devices A and B take F times as long, such as 2-3=4", MEMBER(whatIf.slowLink), omitted()),
        row("what_if.jitter", "--jitter", "CV", "Jitter",
            "random variation of every pass: its standard deviation divided by its mean, such as 0.05", MEMBER(whatIf.jitter),
            range(0.0001, 2), orElse("off"), omitted()),
        row("what_if.draws", "--draws", "N", "Draws", "steps that are drawn with the jitter, from training.seed (default: 200)",
            MEMBER(whatIf.draws), range(1, 1'000'000), orElse("200"), omitted(),
            where([](const Experiment &e) { return e.whatIf.jitter || e.whatIf.draws; })),
        row("what_if.expert_skew", "--expert-skew", "Z", "Skew of experts",
            "with expert ranks: the i-th most popular expert of a layer gets a share of i^-Z of the tokens (0: equal shares)",
            MEMBER(whatIf.expertSkew), range(0, 4), orElse("off"), omitted(),
            where([](const Experiment &e) { return e.parallel.expert > 1 || e.whatIf.expertSkew; })),
        row("what_if.lengths", "--lengths", "FILE", "Sequence lengths",
            "CSV with the header microbatch,length or replica,microbatch,length, a row for each sequence",
            MEMBER(whatIf.lengths), as(Kind::File), omitted()),
        row("what_if.failure_interval", "--failure-interval", "HOURS", "Hours between failures",
            "mean time between failures of the whole job", MEMBER(whatIf.failureInterval), range(0.001, 1e6), orElse("off"),
            omitted()),
        row("what_if.checkpoint_seconds", "--checkpoint-seconds", "S", "Seconds of a checkpoint",
            "how long writing a checkpoint keeps the job waiting", MEMBER(whatIf.checkpointSeconds), range(0.001, 1e6),
            orElse("off"), omitted()),
        row("what_if.restart_seconds", "--restart-seconds", "S", "Seconds of a restart",
            "from a failure until the job continues from its checkpoint (default: 0)", MEMBER(whatIf.restartSeconds),
            range(0.001, 1e6), orElse("none"), omitted(),
            where([](const Experiment &e) { return e.whatIf.failureInterval || e.whatIf.restartSeconds; })),
    };
}

} // namespace stagelens::model
