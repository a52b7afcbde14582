#include "engine/simulate/costs/overlap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>

namespace stagelens::simulate {
namespace {

class Pair {
public:
    Pair(std::span<const LaneLeg> one, std::span<const LaneLeg> other) : m_passes{Pass(one), Pass(other)} {}

    double seconds()
    {
        while (true) {
            for (Pass &pass : m_passes)
                defer(pass);
            Pass *next = nullptr;
            double begin = std::numeric_limits<double>::infinity();
            for (Pass &pass : m_passes)
                if (const double own = beginOf(pass);
                    own < begin || (next != nullptr && own == begin && pass.left > next->left)) {
                    begin = own;
                    next = &pass;
                }
            const double gap = m_deferred.empty() ? begin : std::max(m_free[0], m_deferred.front().release);
            if (!m_deferred.empty() && gap < begin) {
                m_free[0] = gap + m_deferred.front().seconds;
                m_deferred.pop_front();
            } else if (next != nullptr) {
                run(*next, begin);
            } else {
                return std::max({m_passes[0].ready, m_passes[1].ready, m_free[0], m_free[1]});
            }
        }
    }

private:
    struct Pass {
        explicit Pass(std::span<const LaneLeg> all) : legs(all)
        {
            for (const LaneLeg &leg : all)
                left += leg.seconds;
        }
        std::span<const LaneLeg> legs;
        double ready = 0; ///< end of its last leg
        double left = 0;  ///< seconds
    };
    struct Deferred {
        double release = 0;
        double seconds = 0;
    };

    [[nodiscard]] double &free(const LaneLeg &leg) { return m_free[leg.isNetwork ? 1 : 0]; }
    [[nodiscard]] double beginOf(const Pass &pass)
    {
        return pass.legs.empty() ? std::numeric_limits<double>::infinity() : std::max(pass.ready, free(pass.legs.front()));
    }
    void defer(Pass &pass)
    {
        for (; !pass.legs.empty() && pass.legs.front().isDeferrable; pass.legs = pass.legs.subspan(1)) {
            m_deferred.push_back({pass.ready, pass.legs.front().seconds});
            pass.left -= pass.legs.front().seconds;
        }
    }
    void run(Pass &pass, double begin)
    {
        const LaneLeg &leg = pass.legs.front();
        pass.ready = free(leg) = begin + leg.seconds;
        pass.left -= leg.seconds;
        pass.legs = pass.legs.subspan(1);
    }

    std::array<Pass, 2> m_passes;
    std::array<double, 2> m_free{}; ///< when each lane is
    std::deque<Deferred> m_deferred;
};

} // namespace

double overlappedSeconds(std::span<const LaneLeg> one, std::span<const LaneLeg> other)
{
    return Pair(one, other).seconds();
}

} // namespace stagelens::simulate
