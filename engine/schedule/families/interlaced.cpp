#include "engine/schedule/families/interlaced.h"

#include <algorithm>

namespace stagelens::schedule {

namespace {

/// Writes the order of one device: the S of all devices form slots, which the embedding's passes join.
class InterlacedWriter {
public:
    InterlacedWriter(int device, int devices, int microbatches)
        : m_device(device), m_devices(devices), m_microbatches(microbatches), m_lead(std::min(3 * devices / 2, microbatches)),
          m_firstBackwardSlot(std::min(devices, microbatches))
    {}
    std::vector<Pass> write();

private:
    void emit(PassKind kind, int &next)
    {
        if (next < m_microbatches)
            m_passes.push_back(makePass(kind, m_device, next++));
    }
    void forward() { emit(PassKind::F, m_forward); }
    void backward() { emit(PassKind::B, m_backward); }
    void slot();

    int m_device;
    int m_devices;
    int m_microbatches;
    int m_lead;              ///< forwards of the first device before its first backward
    int m_firstBackwardSlot; ///< slots of the first device before its first backward; one follows each backward
    int m_slot = 0;
    int m_forward = 0;
    int m_backward = 0;
    int m_embedForward = 0;
    int m_embedBackward = 0;
    std::vector<Pass> m_passes;
};

void InterlacedWriter::slot()
{
    const int slot = m_slot;
    emit(PassKind::S, m_slot);
    // One slot before the first device runs that forward, one after it has run that backward.
    const int firstEmbedding = m_firstBackwardSlot + std::max(0, m_lead - m_firstBackwardSlot - (m_devices - 1) / 2) - 1;
    if (slot >= firstEmbedding)
        emit(PassKind::EF, m_embedForward);
    if (slot > m_firstBackwardSlot)
        emit(PassKind::EB, m_embedBackward);
}

std::vector<Pass> InterlacedWriter::write()
{
    const int warmUp = std::min(3 * m_devices / 2 - m_device, m_microbatches);
    const int coolDown = std::min(m_devices - m_device, m_microbatches);
    const int wait = std::max(0, warmUp - coolDown - (m_devices - m_device - 1) / 2);
    for (int i = 0; i < m_lead; ++i)
        emit(PassKind::EF, m_embedForward);
    for (int i = 0; i < warmUp; ++i)
        forward();
    for (int i = 0; i < coolDown; ++i)
        slot();
    const auto backwardAndSlot = [&] {
        backward();
        slot();
    };
    for (int i = 0; i < wait; ++i)
        backwardAndSlot();
    for (int i = warmUp; i < m_microbatches; ++i) {
        if (m_device % 2 == m_devices % 2) {
            forward();
            backwardAndSlot();
        } else {
            backward();
            forward();
            slot();
        }
    }
    for (int i = coolDown + wait; i < warmUp; ++i)
        backwardAndSlot();
    for (int i = 0; i < coolDown; ++i)
        backward();
    while (m_embedBackward < m_microbatches)
        emit(PassKind::EB, m_embedBackward);
    return std::move(m_passes);
}

} // namespace

base::Result<Schedule> interlaced(const model::Experiment &experiment, const Durations & /*durations*/)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    std::vector<std::vector<Pass>> orders;
    for (int device = 0; device < devices; ++device)
        orders.push_back(InterlacedWriter(device, devices, microbatches).write());
    return Schedule("interlaced", Placement::linear(devices), microbatches, model::VocabularyMethod::Interlaced, orders);
}

} // namespace stagelens::schedule
