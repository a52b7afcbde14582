#include "engine/runtime/state/weight_versions.h"

#include "engine/runtime/plan/shape.h"

#include <utility>

namespace stagelens::runtime {

void WeightStash::clear()
{
    m_newest = 0;
    m_versions.clear();
    m_users.clear();
    m_kept.clear();
}

void WeightStash::keep(int microbatch)
{
    m_versions[microbatch] = m_newest;
    ++m_users[m_newest];
}

void WeightStash::swap(int microbatch)
{
    const auto kept = m_kept.find(m_versions.at(microbatch));
    if (kept == m_kept.end())
        return;
    for (std::size_t i = 0; i < m_parameters.size(); ++i)
        std::swap(m_parameters[i]->read(), kept->second[i]);
}

void WeightStash::release(int microbatch)
{
    const int version = m_versions.extract(microbatch).mapped();
    if (--m_users.at(version) > 0)
        return;
    m_users.erase(version);
    m_kept.erase(version);
}

void WeightStash::keepNewest(backend::Pool &pool, backend::Compute &compute)
{
    if (m_users.contains(m_newest)) {
        std::vector<backend::Buffer> &copies = m_kept[m_newest];
        for (Parameter *parameter : m_parameters) {
            const backend::ConstValues newest = parameter->weights();
            copies.push_back(allocateVersion(pool, *parameter, compute));
            compute.copy({copies.back().data(), newest.precision()}, newest, parameter->count());
        }
    }
    ++m_newest;
}

} // namespace stagelens::runtime
