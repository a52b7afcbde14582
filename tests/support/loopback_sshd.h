// An sshd of this machine, with keys of its own, that tests reach as the host "there".
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace stagelens::test {

/// Starts an sshd on a free port of the loopback interface. The user's own configuration and keys are not touched.
class LoopbackSshd {
public:
    /// `folder`: for keys and configuration; it must exist and outlive the server.
    explicit LoopbackSshd(const QString &folder) : m_folder(folder)
    {
        const QString sshd =
            QStandardPaths::findExecutable(QStringLiteral("sshd"), {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/bin")});
        const QString keygen = QStandardPaths::findExecutable(QStringLiteral("ssh-keygen"));
        if (sshd.isEmpty() || keygen.isEmpty()) {
            m_obstacle = "no sshd is installed (openssh-server)";
            return;
        }
        for (const char *key : {"host", "user"})
            QProcess::execute(keygen, {QStringLiteral("-q"), QStringLiteral("-t"), QStringLiteral("ed25519"),
                                       QStringLiteral("-N"), QString(), QStringLiteral("-f"), path(QString::fromLatin1(key))});
        const QString port = QString::number(freePort());
        write(QStringLiteral("sshd_config"),
              QStringLiteral("Port %1\nListenAddress 127.0.0.1\nHostKey %2\nAuthorizedKeysFile %3\n"
                             "StrictModes no\nUsePAM no\nPidFile none\nMaxStartups 100\nSetEnv PATH=%4:/usr/bin:/bin\n")
                  .arg(port, path(QStringLiteral("host")), path(QStringLiteral("user.pub")),
                       qEnvironmentVariable("STAGELENS_BINARIES")));
        write(QStringLiteral("ssh_config"), QStringLiteral("Host there\n HostName 127.0.0.1\n Port %1\n IdentityFile %2\n"
                                                           " UserKnownHostsFile /dev/null\n StrictHostKeyChecking no\n")
                                                .arg(port, path(QStringLiteral("user"))));
        write(QStringLiteral("ssh"),
              QStringLiteral("#!/bin/sh\nexec ssh -F '%1' \"$@\"\n").arg(path(QStringLiteral("ssh_config"))));
        QFile(client()).setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        QDir().mkpath(QStringLiteral("/run/sshd")); // what a service manager would make for it
        m_server.start(sshd,
                       {QStringLiteral("-D"), QStringLiteral("-e"), QStringLiteral("-f"), path(QStringLiteral("sshd_config"))});
        for (int tries = 0; tries < 100 && m_server.state() != QProcess::NotRunning && !answers(port.toUShort()); ++tries)
            QTest::qWait(50);
        if (m_server.state() != QProcess::Running)
            m_obstacle = "sshd does not run here: " + m_server.readAllStandardError();
    }
    ~LoopbackSshd()
    {
        m_server.kill();
        m_server.waitForFinished();
    }
    LoopbackSshd(const LoopbackSshd &) = delete;
    LoopbackSshd &operator=(const LoopbackSshd &) = delete;

    /// Why it does not run; empty if it does.
    [[nodiscard]] const QByteArray &obstacle() const { return m_obstacle; }
    /// The program in the place of ssh (STAGELENS_SSH).
    [[nodiscard]] QString client() const { return path(QStringLiteral("ssh")); }

    /// Cuts every connection: kills the clients of the host, or the processes of the server that serve them, as when a cable or
    /// the other machine fails.
    void cut(bool atTheServer) const
    {
        const QString mark = atTheServer ? QString() : path(QStringLiteral("ssh_config"));
        for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            bool isProcess = false;
            const qint64 process = entry.toLongLong(&isProcess);
            if (isProcess && (atTheServer ? isServing(entry) : contents(entry, "cmdline").contains(mark.toUtf8())))
                ::kill(static_cast<pid_t>(process), SIGKILL);
        }
    }

private:
    [[nodiscard]] QString path(const QString &name) const { return m_folder + u'/' + name; }
    void write(const QString &name, const QString &text) const
    {
        QFile file(path(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(text.toUtf8());
    }
    static QByteArray contents(const QString &process, const char *name)
    {
        QFile file(QStringLiteral("/proc/%1/").arg(process) + QLatin1StringView(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Whether a process is an sshd below the server; what it started is left alone, as a cut leaves it.
    [[nodiscard]] bool isServing(QString process) const
    {
        if (!contents(process, "cmdline").startsWith("sshd: "))
            return false;
        for (int depth = 0; depth < 4; ++depth) {
            const QByteArray stat = contents(process, "stat");
            const qint64 parent = stat.mid(stat.lastIndexOf(')') + 4).split(' ').first().toLongLong();
            if (parent == m_server.processId())
                return true;
            process = QString::number(parent);
        }
        return false;
    }
    static sockaddr_in loopback(quint16 port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }
    static bool answers(quint16 port)
    {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = loopback(port);
        const bool isOpen = ::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
        ::close(socket);
        return isOpen;
    }
    /// Returns a port that nothing listens on.
    static int freePort()
    {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        (void)::bind(socket, reinterpret_cast<const sockaddr *>(&address), size);
        (void)::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size);
        ::close(socket);
        return ntohs(address.sin_port);
    }

    QString m_folder;
    QByteArray m_obstacle;
    QProcess m_server;
};

} // namespace stagelens::test
