// The memory that passes keep for one microbatch, in bytes, independent of their order.
#pragma once

#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <vector>

namespace stagelens::simulate {

/// The memory of the passes of an experiment, in bytes for one microbatch.
struct PassBytes {
    base::Bytes layer = 0;          ///< kept by a layer from F to B
    base::Bytes whole = 0;          ///< the same of a layer that is recomputed as a whole
    base::Bytes rebuilt = 0;        ///< of a layer, rebuilt by I and kept until W
    base::Bytes rebuiltWhole = 0;   ///< the same of a layer that is recomputed as a whole
    base::Bytes boundary = 0;       ///< one [b s, h] tensor
    base::Bytes tableRows = 0;      ///< one of rows of the input table: [b s, E] if it is narrower
    base::Bytes unpacked = 0;       ///< of a layer that packs what it keeps: the same in full, in the workspace of a forward
    base::Bytes packed = 0;         ///< the same in a message to another device; 0: not packed
    base::Bytes vocabulary = 0;     ///< output layer, from S to T, or from F to B (or I) of the last stage
    base::Bytes exponentials = 0;   ///< output layer, if they are computed again: only within passes that use them
    base::Bytes embedding = 0;      ///< sum of the shards' embeddings, or rows of narrower tables: the first stage keeps
                                    ///< them beside its own input
    base::Bytes workspace = 0;      ///< of a layer's backward
    base::Bytes workspaceWhole = 0; ///< the same of a layer that is recomputed as a whole
    base::Bytes norm = 0;           ///< kept by the final norm, and by the map to a narrower table or to several heads
    base::Bytes empty = 0;          ///< kept by a stage without layers
    base::Bytes keys = 0;           ///< slices: keys and values of a layer, which the slices of a sequence share
    base::Bytes keyGradients = 0;   ///< slices: sums of their gradients in fp32
    std::vector<int> layers;        ///< of each stage
    std::vector<int> wholes;        ///< of them: recomputed as a whole
    // Of two units of each stage (kept until the backward: parameters of all), with exchanges among replicas in every
    // microbatch; otherwise empty.
    std::vector<base::Bytes> gathered;
    std::vector<base::Bytes> reduced;
    /// The same of the rows of sharded tables that a pass uses.
    struct TableBytes {
        base::Bytes gathered = 0;
        base::Bytes reduced = 0;
    };
    TableBytes inputTable;
    TableBytes outputTable;
    [[nodiscard]] base::Bytes gatheredBy(const schedule::Pass &pass) const
    {
        return schedule::isOfStage(pass.kind) ? gathered[pass.stage] : tableOf(pass.kind).gathered;
    }
    [[nodiscard]] base::Bytes reducedBy(const schedule::Pass &pass) const
    {
        return schedule::isOfStage(pass.kind) ? reduced[pass.stage] : tableOf(pass.kind).reduced;
    }

    /// Returns the activations of a stage from F to B, without logits.
    [[nodiscard]] base::Bytes kept(std::size_t stage, bool isLast) const
    {
        const base::Bytes ofLayers =
            layers[stage] > 0 || isLast ? (layers[stage] - wholes[stage]) * layer + wholes[stage] * whole : empty;
        return ofLayers + (isLast ? norm : 0) + (stage == 0 ? embedding : 0);
    }
    /// Returns the bytes that the layers of a stage keep from F to B.
    [[nodiscard]] base::Bytes ofLayers(std::size_t stage) const
    {
        return (layers[stage] - wholes[stage]) * layer + wholes[stage] * whole;
    }
    /// Returns the bytes that I of a stage recomputes for W.
    [[nodiscard]] base::Bytes rebuiltBy(std::size_t stage) const
    {
        return (layers[stage] - wholes[stage]) * rebuilt + wholes[stage] * rebuiltWhole;
    }
    /// Returns the workspace of a pass beside what its layers keep.
    [[nodiscard]] base::Bytes workspaceOf(const schedule::Pass &pass) const
    {
        const bool isBackward = pass.kind == schedule::PassKind::B || pass.kind == schedule::PassKind::I;
        if (layers[pass.stage] == 0)
            return 0;
        return pass.kind == schedule::PassKind::F ? unpacked : isBackward ? workspaceOf(std::size_t{pass.stage}) : 0;
    }
    /// Returns the workspace of a backward of a stage.
    [[nodiscard]] base::Bytes workspaceOf(std::size_t stage) const { return wholes[stage] > 0 ? workspaceWhole : workspace; }

private:
    [[nodiscard]] const TableBytes &tableOf(schedule::PassKind kind) const
    {
        return kind == schedule::PassKind::EF || kind == schedule::PassKind::EB ? inputTable : outputTable;
    }
};

/// Returns the bytes that F of a stage reads and writes to pack what its layers keep, and B and I to unpack it; 0 if they keep
/// it in full. `whole`: of the layers, those that are recomputed as a whole.
[[nodiscard]] double storingBytes(const model::Experiment &experiment, int layers, int whole);

/// `device`: whose shard the bytes of the output layer are of, if a sampled softmax draws its words; other shards have those of
/// the first, which is the largest.
[[nodiscard]] PassBytes passBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device);

} // namespace stagelens::simulate
