// A lecture as slides: every step of a tour or scene is a page with its title, its picture and its text.
#pragma once

#include "ui/learn/tour.h"

#include <QSize>

namespace stagelens::ui {

inline constexpr QSize kSlideSize{1280, 720};
/// Of the smallest type on a slide.
inline constexpr int kSlideType = 24;

/// Writes a PDF. A step whose text leaves too little room for its picture has a second page for the text. The picture is that
/// of the step's plan as the tour gives it.
[[nodiscard]] base::Result<> writeSlides(const Tour &tour, const QString &file);

} // namespace stagelens::ui
