/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace ns3
{
namespace fabric
{

std::vector<double>
InChild(const std::function<std::vector<double>()>& simulation)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return {};
    }
    std::cout.flush();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
    {
        close(ends[0]);
        std::FILE* out = fdopen(ends[1], "w");
        const std::vector<double> numbers = simulation();
        const bool written =
            std::fwrite(numbers.data(), sizeof(double), numbers.size(), out) == numbers.size();
        _exit(std::fclose(out) == 0 && written ? 0 : 1);
    }
    close(ends[1]);
    std::FILE* in = fdopen(ends[0], "r");
    std::vector<double> numbers;
    for (double number; std::fread(&number, sizeof number, 1, in) == 1;)
    {
        numbers.push_back(number);
    }
    std::fclose(in);
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0 ? numbers : std::vector<double>{};
}

} // namespace fabric
} // namespace ns3
