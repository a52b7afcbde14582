#include "engine/base/protected_file.h"

#include <mutex>
#include <set>
#include <sys/stat.h>

namespace stagelens::base {
namespace {

struct Registry {
    std::mutex mutex;
    std::multiset<ProtectedFile::Identity> files; ///< a file once for each object that protects it
};

Registry &registry()
{
    static Registry instance;
    return instance;
}

} // namespace

ProtectedFile::ProtectedFile(const std::filesystem::path &file)
{
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0)
        return;
    m_identity = {info.st_dev, info.st_ino};
    const std::scoped_lock lock(registry().mutex);
    registry().files.insert(m_identity);
}

ProtectedFile::~ProtectedFile()
{
    const std::scoped_lock lock(registry().mutex);
    if (const auto found = registry().files.find(m_identity); found != registry().files.end())
        registry().files.erase(found);
}

bool ProtectedFile::isProtected(Identity identity)
{
    const std::scoped_lock lock(registry().mutex);
    return registry().files.contains(identity);
}

} // namespace stagelens::base
