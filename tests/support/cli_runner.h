// Runs stagelens-cli and stores its output.
#pragma once

#include <QByteArray>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QTemporaryDir>

namespace stagelens::test {

/// The output and the exit status of a command.
struct CliAnswer {
    int status = -1; ///< exit status, or -1 if a signal ended it
    QByteArray out;
    QByteArray err;

    /// The document on stdout; null (isNull()) unless stdout is exactly one JSON document.
    [[nodiscard]] QJsonDocument json() const { return QJsonDocument::fromJson(out); }
    [[nodiscard]] QJsonObject object() const { return json().object(); }
    /// Lines of stderr, without the empty one at its end.
    [[nodiscard]] QList<QByteArray> problems() const
    {
        QList<QByteArray> lines = err.split('\n');
        lines.removeAll(QByteArray());
        return lines;
    }
};

/// A data folder of its own, and commands that use it.
class CliRunner {
public:
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }

    /// Prepares a process; the caller starts it.
    void prepare(QProcess &process, const QStringList &arguments) const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("STAGELENS_DATA_DIR"), path(QStringLiteral("data")));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder.path());
        process.setProgram(qEnvironmentVariable("STAGELENS_BINARIES") + QStringLiteral("/stagelens-cli"));
        process.setArguments(arguments);
    }

    [[nodiscard]] CliAnswer run(const QStringList &arguments) const
    {
        QProcess process;
        prepare(process, arguments);
        process.start();
        process.waitForFinished(kPatienceMs);
        return answerOf(process);
    }
    /// Words separated by blanks.
    [[nodiscard]] CliAnswer run(const QString &words) const { return run(words.split(u' ', Qt::SkipEmptyParts)); }

    [[nodiscard]] static CliAnswer answerOf(QProcess &process)
    {
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }

    /// Longer than any command takes under a sanitizer on a busy machine.
    static constexpr int kPatienceMs = 120'000;

private:
    QTemporaryDir m_folder;
};

} // namespace stagelens::test
