#include "app/application.h"

#include "app/headless.h"
#include "app/scenes.h"
#include "engine/base/file.h"
#include "engine/base/printable.h"
#include "engine/service/engine_service.h"
#include "ui/controllers/file_controller.h"
#include "ui/controls/theme.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/picture_export.h"
#include "ui/shell/closing_signals.h"
#include "ui/shell/main_window.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/language.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QIcon>
#include <QLocale>
#include <QSettings>
#include <QTemporaryFile>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>

namespace stagelens::app {

using namespace Qt::StringLiterals;
using ui::qtText;
using ui::utf8;

namespace {

constexpr QSize kWindowSize{1440, 900};
constexpr int kWrongInput = 2;

/// Returns what follows an option, in its own word or in the next; nothing if it is not given.
std::optional<std::string_view> valueOf(int argc, char **argv, std::string_view option)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == option)
            return i + 1 < argc ? argv[i + 1] : std::string_view();
        if (word.starts_with(option) && word[option.size()] == '=')
            return word.substr(option.size() + 1);
    }
    return std::nullopt;
}

bool has(int argc, char **argv, std::string_view option)
{
    return valueOf(argc, argv, option).has_value();
}

/// Returns the size that is written as WxH, if a picture can have it.
std::optional<QSize> readSize(const QString &words)
{
    const QStringList parts = words.split(u'x');
    const QSize size(parts.value(0).toInt(), parts.value(1).toInt());
    const bool isFit = size.width() >= 320 && size.height() >= 200 && size.width() <= 20'000 && size.height() <= 20'000;
    return parts.size() == 2 && isFit ? std::optional(size) : std::nullopt;
}

/// Describes a screen of the size of the picture: dialogs fit themselves to their screen, as they would on a desk of that size.
void describeScreen(QTemporaryFile &file, QSize size)
{
    if (!file.open())
        return; // then the screen is the platform's own
    file.write(
        uR"({"screens":[{"name":"picture","x":0,"y":0,"width":%1,"height":%2,"logicalDpi":96,"dpr":1}]})"_s.arg(size.width())
            .arg(size.height())
            .toUtf8());
    file.close();
    qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + QFile::encodeName(file.fileName()));
}

void declareOptions(QCommandLineParser &parser)
{
    parser.setApplicationDescription(u"Explorer and trainer of pipeline-parallel schedules with vocabulary parallelism."_s);
    parser.addPositionalArgument(u"FILE"_s, u"experiment to open (*.stagelens.json)"_s, u"[FILE]"_s);
    parser.addOptions({
        {u"db"_s, u"The run database."_s, u"FILE"_s},
        {u"export"_s, u"Write a picture of the timeline and end; works without a display."_s, u"FILE"_s},
        {u"experiment"_s, u"What --export draws: an experiment."_s, u"FILE"_s},
        {u"from"_s,
         u"Makes --export an animation (svg, gif, mp4, or a folder of png frames) that leads from this experiment to that of "
         u"--experiment."_s,
         u"FILE"_s},
        {u"run"_s, u"What --export draws: a stored run."_s, u"ID"_s},
        {u"step"_s, u"Step of the run that --export draws, from 0; else its typical step."_s, u"N"_s},
        {u"format"_s, u"png, svg, pdf, gif or mp4; else by the file's ending."_s, u"FORMAT"_s},
        {u"size"_s, u"Size of the picture in pixels."_s, u"WxH"_s},
        {u"screenshot"_s, u"Write a picture of the whole window and end; works without a display."_s, u"FILE"_s},
        {u"scene"_s, u"What the screenshot shows: %1."_s.arg(sceneNames()), u"NAME"_s},
        {u"first-picture"_s,
         u"Print when the first picture stood on the screen (nanoseconds of the monotonic clock), and end."_s},
        {u"dark"_s, u"Dark colours in the screenshot."_s},
        {u"language"_s, u"Language of window and pictures: en, zh_CN or ko; else as chosen in the window, or the desktop's."_s,
         u"CODE"_s},
        // Not addHelpOption(): it brings a --help-all along.
        {{u"h"_s, u"help"_s}, u"Print these lines, and end."_s},
        {{u"v"_s, u"version"_s}, u"Print the version, and end."_s},
    });
}

int finish(const base::Result<> &result)
{
    if (result)
        return EXIT_SUCCESS;
    std::cerr << base::printable(result.error()) << '\n';
    return result.error().kind == base::ErrorKind::InvalidInput ? kWrongInput : EXIT_FAILURE;
}

base::Result<QSize> sizeOf(const QCommandLineParser &parser, QSize otherwise)
{
    if (!parser.isSet(u"size"_s))
        return otherwise;
    if (const auto size = readSize(parser.value(u"size"_s)))
        return *size;
    return base::Error::invalid("--size", "'" + utf8(parser.value(u"size"_s)) +
                                              "' is no size; write WxH between 320x200 and 20000x20000");
}

/// Before anything is shown: texts on the screen do not change their language. Pictures are in English unless told otherwise.
base::Result<> chooseLanguage(const QCommandLineParser &parser, bool isWindow)
{
    if (const QString given = parser.value(u"language"_s); parser.isSet(u"language"_s)) {
        QStringList codes;
        for (const ui::Language &each : ui::languages())
            codes << each.code;
        if (!codes.contains(given))
            return base::Error::invalid("--language",
                                        "'" + utf8(given) + "' is unknown here; use one of " + utf8(codes.join(u", "_s)));
        ui::installLanguage(given);
    } else if (isWindow) {
        const QString chosen = ui::windowSettings()->value(u"language"_s).toString();
        ui::installLanguage(ui::languageFor(chosen, QLocale::system().uiLanguages()));
    }
    return {};
}

int runExport(const QCommandLineParser &parser)
{
    ExportRequest request;
    request.file = parser.value(u"export"_s);
    request.format = parser.isSet(u"format"_s) ? parser.value(u"format"_s) : QFileInfo(request.file).suffix().toLower();
    request.experiment = parser.value(u"experiment"_s);
    request.database = utf8(parser.value(u"db"_s));
    if (parser.isSet(u"run"_s)) {
        bool isNumber = false;
        request.run = parser.value(u"run"_s).toLongLong(&isNumber);
        if (!isNumber)
            return finish(base::Error::invalid("--run", "'" + utf8(parser.value(u"run"_s)) + "' is no run; give its number"));
    }
    if (parser.isSet(u"step"_s)) {
        bool isNumber = false;
        request.step = parser.value(u"step"_s).toInt(&isNumber);
        if (!isNumber || !request.run)
            return finish(base::Error::invalid("--step", "needs --run and the number of one of its steps, from 0"));
    }
    request.from = parser.value(u"from"_s);
    const bool moves = request.format == u"gif"_s || request.format == u"mp4"_s;
    const bool mayMove = moves || request.format == u"svg"_s || request.format == u"png"_s;
    if (request.from.isEmpty() ? moves : !mayMove)
        return finish(base::Error::invalid("--from", moves ? utf8(request.format) + " is an animation; name the plan that it "
                                                                                    "begins with"
                                                           : "an animation is a gif, mp4 or svg file, or a folder of png"));
    if (!request.from.isEmpty() && request.experiment.isEmpty())
        return finish(base::Error::invalid("--from", "leads to an experiment; name it with --experiment FILE"));
    if (request.run.has_value() == !request.experiment.isEmpty())
        return finish(base::Error::invalid("--export", "give either --experiment FILE or --run ID to draw"));
    const auto size = sizeOf(parser, ui::kPictureSize);
    if (!size)
        return finish(size.error());
    request.size = *size;
    ui::applyAppearance(parser.isSet(u"dark"_s) ? ui::Appearance::Dark : ui::Appearance::Light);
    return finish(exportTimeline(request));
}

int runScreenshot(const QCommandLineParser &parser)
{
    ScreenshotRequest request;
    request.file = parser.value(u"screenshot"_s);
    if (parser.isSet(u"scene"_s))
        request.scene = parser.value(u"scene"_s);
    request.experiment = parser.positionalArguments().value(0);
    request.database = utf8(parser.value(u"db"_s));
    request.dark = parser.isSet(u"dark"_s);
    const auto size = sizeOf(parser, kWindowSize);
    if (!size)
        return finish(size.error());
    request.size = *size;
    return finish(takeScreenshot(request));
}

int runWindow(const QCommandLineParser &parser)
{
    ui::applyAppearance(ui::Appearance::System);
    ui::WindowOptions options;
    options.database = utf8(parser.value(u"db"_s));
    options.file = parser.positionalArguments().value(0);
    options.calibrate = true;
    ui::MainWindow window(options);
    if (parser.isSet(u"first-picture"_s))
        QObject::connect(window.explorePage().timeline(), &ui::TimelineView::painted, &window, [] {
            std::cout << std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1) << std::endl;
            QApplication::quit();
        });
    ui::closeOnSignals(window);
    window.show();
    return QApplication::exec();
}

} // namespace

int runApplication(int argc, char **argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow (`ulimit -f`) is an error of its writing like a full disk
    const bool draws = has(argc, argv, "--export") || has(argc, argv, "--screenshot");
    const bool asks =
        has(argc, argv, "--help") || has(argc, argv, "-h") || has(argc, argv, "--version") || has(argc, argv, "-v");
    const bool display = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
                         !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
    if (!draws && !asks && !display) {
        std::cerr << "there is no display; use stagelens --screenshot FILE, stagelens --export FILE, or stagelens-cli\n";
        return kWrongInput;
    }
    QTemporaryFile screen;
    if (draws || !display)
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (has(argc, argv, "--screenshot"))
        describeScreen(screen, readSize(qtText(std::string(valueOf(argc, argv, "--size").value_or("")))).value_or(kWindowSize));
    QApplication application(argc, argv);
    QApplication::setApplicationName(u"stagelens"_s);
    QApplication::setApplicationDisplayName(u"Stagelens"_s);
    QApplication::setApplicationVersion(qtText(STAGELENS_VERSION));
    QApplication::setDesktopFileName(u"org.stagelens.Stagelens"_s); // where Wayland takes the icon from
    QApplication::setWindowIcon(QIcon(qtText((base::resourceFolder() / "icons" / "stagelens.svg").string())));
    QCommandLineParser parser;
    declareOptions(parser);
    if (!parser.parse(QApplication::arguments()))
        return finish(base::Error::invalid("", utf8(parser.errorText()) + "; see stagelens --help"));
    if (parser.isSet(u"help"_s)) {
        std::cout << utf8(parser.helpText());
        return EXIT_SUCCESS;
    }
    if (parser.isSet(u"version"_s)) {
        std::cout << "stagelens " << STAGELENS_VERSION << '\n';
        return EXIT_SUCCESS;
    }
    if (parser.positionalArguments().size() > 1)
        return finish(base::Error::invalid("FILE", "one window opens one experiment; give one file"));
    if (const auto chosen = chooseLanguage(parser, !parser.isSet(u"export"_s) && !parser.isSet(u"screenshot"_s)); !chosen)
        return finish(chosen);
    if (parser.isSet(u"export"_s))
        return runExport(parser);
    return parser.isSet(u"screenshot"_s) ? runScreenshot(parser) : runWindow(parser);
}

} // namespace stagelens::app
