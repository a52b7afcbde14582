// Notices runs that another process stores.
#pragma once

#include <QObject>

#include <filesystem>
#include <thread>

namespace stagelens::ui {

/// Looks at a database and its write-ahead log twice a second, on a thread of its own: sizes and times alone, so that it
/// neither waits for a lock nor holds one. The files may come and go.
class StoreWatch : public QObject {
    Q_OBJECT
public:
    explicit StoreWatch(std::filesystem::path file, QObject *parent = nullptr);

signals:
    /// Something was written, by whatever connection.
    void changed();

private:
    std::jthread m_thread;
};

} // namespace stagelens::ui
