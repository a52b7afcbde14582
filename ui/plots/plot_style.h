// What all plots share: the theme's colours on QCustomPlot's axes, tickers, the sentence of an empty plot.
#pragma once

#include "ui/canvas/colours.h"
#include "ui/canvas/qcp.h"

namespace stagelens::ui {

/// Colours, fonts and line widths of a plot and its axes after the widget's palette.
void applyStyle(QCustomPlot &plot, const Colours &colours);
/// The sentence of a plot without data, over its middle.
void paintSentence(QPainter &painter, const QWidget &widget, const Colours &colours, const QString &sentence);
/// The colour of the n-th curve, light enough for a dark theme.
[[nodiscard]] QColor curveColour(const Colours &colours, std::size_t index);
/// Width left of a plot whose horizontal axis is called `name`: that word and the marks of the vertical axis stand there.
[[nodiscard]] int leftMargin(const QFontMetrics &metrics, const QString &name);
/// Returns the text, or as many of its words as fit in a width with "…" behind them.
[[nodiscard]] QString elidedAtWords(const QString &text, const QFontMetrics &metrics, int width);
/// "12.3 GiB".
[[nodiscard]] QString bytesText(double bytes);

/// Marks of 1, 2 and 5 times a power of 1024 or 10.
class BytesTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
};

/// Marks of 5, 10, 20, 50 or 100 per cent.
class PercentTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
};

/// Marks at 1, 2 and 5 times a power of ten of microbatches, in units of kMicrobatch.
class MicrobatchTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
};

/// Whole numbers only.
class IntegerTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
};

} // namespace stagelens::ui
