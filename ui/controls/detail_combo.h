// A list of choices with a figure beside each.
#pragma once

#include <QComboBox>

namespace stagelens::ui {

/// A combo box whose open list shows a second, grey column, and which tells when the list closes.
class DetailCombo : public QComboBox {
    Q_OBJECT
public:
    static constexpr int kDetailRole = Qt::UserRole + 1;
    explicit DetailCombo(QWidget *parent = nullptr);
    void showPopup() override;
    void hidePopup() override;

signals:
    void popupHidden();
};

} // namespace stagelens::ui
