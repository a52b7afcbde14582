// The plug-in whose kernels run on fibres, loaded by the engine in the place of the real one.
#pragma once

#include "engine/runtime/machine/accelerators.h"

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

} // namespace stagelens::test
