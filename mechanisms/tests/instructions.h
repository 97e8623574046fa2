// Counts the instructions that something takes: the same on a busy machine as on an idle one.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace fabric::test {

/// What a child process executes for `work`, followed instruction by instruction: some microseconds each. 0: the
/// machine does not allow it.
template <class F>
uint64_t instructions(F work) {
  const pid_t child = fork();
  if (child < 0) return 0;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    work();
    _exit(0);
  }
  uint64_t count = 0;
  int status = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) kill(child, SIGKILL);
    ++count;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? count : 0;
}

}  // namespace fabric::test
