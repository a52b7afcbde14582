// The libFuzzer side: runs the one target that is linked in. STAGELENS_FUZZ_SEEDS names a folder for its seeds.
#include "tests/fuzz/support.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>

using namespace stagelens;

extern "C" int LLVMFuzzerInitialize(int * /*count*/, char *** /*arguments*/)
{
    (void)fuzz::scratchFolder();
    const char *folder = std::getenv("STAGELENS_FUZZ_SEEDS");
    if (folder == nullptr)
        return 0;
    fuzz::Seeds seeds = fuzz::targets().front().seeds();
    for (std::string &seed : fuzz::hostileSeeds())
        seeds.push_back(std::move(seed));
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        std::ofstream file(std::string(folder) + "/seed-" + std::to_string(i), std::ios::binary);
        file.write(seeds[i].data(), static_cast<std::streamsize>(seeds[i].size()));
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz::targets().front().run({reinterpret_cast<const char *>(data), size});
    return 0;
}
