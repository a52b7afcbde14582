/// A process beside the test's own, for what only two processes can do to each other.
#pragma once

#include <QtGlobal>

#include <array>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace stagelens::test {

/// Runs `work` in a process of its own. It reports "ready" through its pipe, then waits for a command or its end.
class Child {
public:
    using Work = std::function<bool(Child &)>;
    explicit Child(const Work &work)
    {
        if (::pipe(m_toParent.data()) != 0 || ::pipe(m_toChild.data()) != 0)
            qFatal("no pipe");
        m_pid = ::fork();
        if (m_pid == 0) {
            ::alarm(60); // never outlives a test that failed
            ::close(m_toChild[1]);
            ::_exit(work(*this) ? 0 : 1);
        }
        ::close(m_toParent[1]);
        ::close(m_toChild[0]);
    }
    ~Child()
    {
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            wait();
        }
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    // In the child:
    void sayReady() const { (void)!::write(m_toParent[1], "r", 1); }
    void awaitWord() const
    {
        char word = 0;
        (void)!::read(m_toChild[0], &word, 1);
    }
    // In the parent:
    bool awaitReady() const
    {
        char word = 0;
        return ::read(m_toParent[0], &word, 1) == 1;
    }
    void goOn() const { (void)!::write(m_toChild[1], "g", 1); }
    void kill() const { ::kill(m_pid, SIGKILL); }
    /// The exit status, or -1 if it was killed.
    int wait()
    {
        int status = 0;
        ::waitpid(m_pid, &status, 0);
        m_pid = -1;
        ::close(m_toParent[0]);
        ::close(m_toChild[1]);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t m_pid = -1;
    std::array<int, 2> m_toParent{};
    std::array<int, 2> m_toChild{};
};

} // namespace stagelens::test
