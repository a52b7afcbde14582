// The import of traces of other programs: one at a time, with its progress in a bar.
#pragma once

#include "engine/service/engine_service.h"

#include <QObject>

namespace stagelens::ui {

class EngineBridge;
class MessageBar;

/// Runs the import job and reports its result.
class ImportController : public QObject {
    Q_OBJECT
public:
    ImportController(EngineBridge *bridge, MessageBar *bar);

    /// Lets the user choose the files.
    void ask();
    /// Stores the traces of all ranks as one run.
    void importFiles(const QStringList &files);

signals:
    void imported(qint64 run, const QString &sentence);
    void failed(const QString &sentence);

private:
    void showProgress(quint64 job, double share);
    void take(quint64 job, const service::ImportAnswerPtr &answer);

    EngineBridge *m_bridge;
    MessageBar *m_bar;
    service::JobId m_job = 0; ///< 0: none in progress
    QString m_name;           ///< of the first file
};

} // namespace stagelens::ui
