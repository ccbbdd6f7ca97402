// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer where the compiler has none: the kept inputs first, then random ones from a fixed seed.
//   fuzz_<stem> [-runs=N] [-seed=S] [file or folder]...
// Like libFuzzer it stops at the first input that fails; the input is left in crash.bin.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

void run(const Input& input) {
    std::ofstream("crash.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
    LLVMFuzzerTestOneInput(input.data(), input.size());
}

void run_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    run(Input(std::istreambuf_iterator<char>(file), {}));
}

void run_path(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) return run_file(path);
    for (const auto& entry : std::filesystem::directory_iterator(path)) run_file(entry.path());
}

}  // namespace

int main(int argc, char** argv) {
    unsigned long runs = 1000, seed = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with("-runs=")) {
            runs = std::stoul(argument.substr(6));
        } else if (argument.starts_with("-seed=")) {
            seed = std::stoul(argument.substr(6));
        } else if (!argument.starts_with("-")) {
            run_path(argument);
        }
    }
    std::mt19937_64 random(seed);
    for (unsigned long i = 0; i < runs; ++i) {
        Input input(random() % 96);
        for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
        run(input);
    }
    std::filesystem::remove("crash.bin");
    std::printf("%lu random inputs from seed %lu\n", runs, seed);
}
