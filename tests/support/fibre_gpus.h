// The plug-in whose kernels run on fibres, loaded by the engine in the place of the real one.
#pragma once

#include "engine/runtime/machine/accelerators.h"
#include "tests/cuda_emulator/devices.h"

#include <QtTest>

#include <dlfcn.h>

namespace stagelens::test {

class FibrePlugin {
public:
    /// Created by initTestCase(), before the engine searches for GPUs.
    FibrePlugin()
    {
        const QByteArray plugin = qgetenv("STAGELENS_BINARIES") + "/libstagelens-cuda-on-host.so";
        qputenv("STAGELENS_CUDA_PLUGIN", plugin);
        m_found = runtime::gpus();
        m_handle = ::dlopen(plugin.constData(), RTLD_NOW | RTLD_NOLOAD);
    }
    [[nodiscard]] const runtime::GpuList &gpus() const { return m_found; }
    /// Points `function` at what the plug-in has under that name; false where there is nothing.
    template <class Function>
    [[nodiscard]] bool find(Function &function, const char *name) const
    {
        function = m_handle == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(m_handle, name));
        return function != nullptr;
    }

private:
    runtime::GpuList m_found;
    void *m_handle = nullptr;
};

/// What a test that trains on one GPU of fibres begins and ends with.
class OneFibreGpu {
protected:
    void load() ///< for initTestCase()
    {
        const FibrePlugin plugin;
        QVERIFY2(plugin.gpus().problem.empty(), plugin.gpus().problem.c_str());
        QVERIFY(plugin.find(m_setGpus, "stagelensSetFibreGpus"));
        QVERIFY(plugin.find(m_releasedEarly, "stagelensReleasedEarlyOnFibreGpus"));
    }
    void begin() const { m_setGpus(1, std::size_t{1} << 30); } ///< for init()
    void end() const { QCOMPARE(m_releasedEarly(), 0); }       ///< for cleanup()

private:
    decltype(&stagelensSetFibreGpus) m_setGpus = nullptr;
    decltype(&stagelensReleasedEarlyOnFibreGpus) m_releasedEarly = nullptr;
};

} // namespace stagelens::test
