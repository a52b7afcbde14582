#include "app/application.h"

int main(int argc, char **argv)
{
    return stagelens::app::runApplication(argc, argv);
}
